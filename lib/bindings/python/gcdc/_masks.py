"""Arrays of masks, and masks on logits, for NumPy and torch.

A mask is a row of ceil(V / 32) words, int32; bit t % 32 of word t // 32 is token t, 1: allowed.
"""
from . import _core

_TYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}


def get_bitmask_shape(batch_size, vocab_size):
    """(batch_size, words of a mask)."""
    return batch_size, (vocab_size + 31) // 32


def allocate_token_bitmask(batch_size, vocab_size):
    """Masks that allow everything: int32 [batch_size, (vocab_size + 31) // 32], a torch tensor where torch was imported
    or can be, else a NumPy array."""
    shape = get_bitmask_shape(batch_size, vocab_size)
    try:
        import torch
        return torch.full(shape, -1, dtype=torch.int32)
    except ImportError:
        import numpy
        return numpy.full(shape, -1, numpy.int32)


def reset_token_bitmask(bitmask):
    """All masks allow everything again."""
    bitmask.fill_(-1) if hasattr(bitmask, "fill_") else bitmask.fill(-1)


def _rows(logits, indices, n_masks):
    if indices is None:
        return None
    rows = [-1] * n_masks
    for i in indices:
        rows[i] = i
    return rows


def apply_mask(logits, mask, rows=None):
    """Forbidden logits become minus infinity, in place; what lies past the mask is forbidden, too.

    logits: [width] or [n, width], float32, float16 or bfloat16, NumPy or torch, in the CPU's memory, the last dimension
    dense; a torch tensor on another device is masked there. mask: int32 [words] or [m, words]. rows: the row of logits
    that mask i belongs to, -1: none; None: row i. About as fast as memory is written."""
    if len(logits.shape) not in (1, 2):
        raise ValueError(f"logits must be [width] or [n, width], not {tuple(logits.shape)}")
    kind = _TYPES.get(str(logits.dtype).removeprefix("torch."))
    if kind is None:
        raise TypeError(f"logits must be float32, float16 or bfloat16, not {logits.dtype}")
    width, n = logits.shape[-1], logits.shape[0] if len(logits.shape) == 2 else 1
    if hasattr(logits, "data_ptr"):
        if logits.device.type != "cpu":
            _apply_on_device(logits, mask, rows)
            return
        address, steps = logits.data_ptr(), logits.stride()
    else:
        if not logits.flags.writeable:
            raise ValueError("logits are read-only")
        address, steps = logits.__array_interface__["data"][0], [s // logits.itemsize for s in logits.strides]
    stride = steps[0] if n > 1 else width
    if steps[-1] != 1 and width > 1 or stride < width:
        raise ValueError("the last dimension of logits must be dense, and rows may not overlap")
    if width and n:
        _core.apply_masks(address, kind, width, stride, n, mask, mask.shape[-1], rows)


def _apply_on_device(logits, mask, rows):
    import torch
    scores = logits if logits.dim() == 2 else logits.unsqueeze(0)
    words = torch.as_tensor(mask).to(scores.device)
    words = words if words.dim() == 2 else words.unsqueeze(0)
    at = torch.arange(words.shape[0]) if rows is None else torch.as_tensor(rows)
    keep = (at >= 0).nonzero().squeeze(1)
    at = at[keep].to(scores.device)
    words = words[keep.to(scores.device)]
    bits = (words.unsqueeze(-1) >> torch.arange(32, device=scores.device, dtype=torch.int32)) & 1
    allowed = bits.flatten(1)[:, :scores.shape[1]].bool()
    if allowed.shape[1] < scores.shape[1]:
        allowed = torch.nn.functional.pad(allowed, (0, scores.shape[1] - allowed.shape[1]))
    scores[at] = scores[at].masked_fill(~allowed, float("-inf"))


def apply_token_bitmask_inplace(logits, bitmask, *, vocab_size=None, indices=None):
    """As XGrammar's: row i of bitmask on row i of logits, for the rows in indices (None: all). vocab_size: logits past it
    stay as they are."""
    if vocab_size is not None:
        logits = logits[..., :vocab_size]
    apply_mask(logits, bitmask, _rows(logits, indices, bitmask.shape[0] if len(bitmask.shape) == 2 else 1))
