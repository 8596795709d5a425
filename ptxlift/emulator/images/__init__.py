"""The image unit: sampled and unsampled access to images through descriptors in registers."""
