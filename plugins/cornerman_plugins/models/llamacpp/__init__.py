"""llama.cpp in this process, for `llamacpp:FILE.gguf`: requests, batching and sampling are those of `hf`."""
