"""A stand-in that writes lists of floats as numpy's format description says."""

import struct


def asarray(lists):
    return lists


def stack(arrays):
    return list(arrays)


def save(file, lists):
    shape, level = [], lists
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0]
    flat = lists
    for _ in shape[1:]:
        flat = [each for inner in flat for each in inner]
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header = header.ljust((10 + len(header)) // 64 * 64 + 64 - 11) + "\n"
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(flat)}d", *flat))
