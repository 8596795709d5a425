"""A CUDA driver whose device is the emulator, so that other people's tests run as they are.

`libcuda.c` is the library that programs load; `device.py` is what it calls. Programs and tests run
unchanged in the scratch environment, and judge the results with their own assertions.
"""
