"""Texts that would run, load, lead or overflow, if a page took them for anything but text."""

from __future__ import annotations

PRINTABLE = (
    "<script>window.hit=1</script>",
    "\"><img src=x onerror='window.hit=1'>",
    "javascript:window.hit=1",
    "<svg onload=window.hit=1><animate onbegin=window.hit=1>",
    "</style><style>body{display:none}</style>",
    "</title></textarea></svg><iframe srcdoc='<script>parent.hit=1</script>'>",
    "<base href=https://evil.example/><link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<a href=https://evil.example/ onclick=window.hit=1>win</a>",
    "{{ 7*7 }}{% for x in ().__class__.__base__.__subclasses__() %}{% endfor %}",
    "]]><!--",
    "=HYPERLINK(1)",
    "\\input{/etc/passwd}",
    "../../../../etc/passwd",
)
INVISIBLE = (
    "\u202egnp.exe\u202c",
    "a\x00b\x1b[2J\r\n\x85c",
    "Z" + "\u0301\u0488" * 200,
    "\ufffe\uffff",
    "\u2066\u200b\ufeff",
)
LONG = "W" * 6000
ALL = (*PRINTABLE, *INVISIBLE, LONG)
