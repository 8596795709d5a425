"""What textures and surfaces mean where no image instruction does it: objects, texels, filters.

Written over the Algebra and an `ImageMachine`, which reads memory and branches: the interpreter
runs it on lanes, the AMDGPU backend makes device functions of it. Object layout:
`target.image_object`; operands: `ir.images`.
"""
