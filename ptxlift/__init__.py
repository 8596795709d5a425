"""ptxlift: PTX in, checked AMDGPU code objects out."""
