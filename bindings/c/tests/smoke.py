"""The library from a language that knows nothing of it but the header: Python's ctypes.

    smoke.py LIBRARY DOCUMENT
"""

import ctypes
import json
import sys
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_int, c_size_t, c_void_p


class Str(Structure):
    _fields_ = [("data", c_void_p), ("len", c_size_t)]

    def text(self):
        return None if self.data is None else ctypes.string_at(self.data, self.len).decode()


class Section(Structure):
    _fields_ = [("key", Str), ("label", Str), ("text", Str), ("tokens", c_size_t)]


library = ctypes.CDLL(sys.argv[1])


def function(name, result, *arguments):
    entry = getattr(library, name)
    entry.restype, entry.argtypes = result, arguments
    return entry


version = function("mws_version", Str)
string_free = function("mws_string_free", None, POINTER(Str))
error_free = function("mws_error_free", None, c_void_p)
error_code = function("mws_error_code", Str, c_void_p)
set_from_json = function(
    "mws_working_set_from_json", c_int, c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p)
)
set_free = function("mws_working_set_free", None, c_void_p)
set_tool_count = function("mws_working_set_tool_count", c_size_t, c_void_p)
set_section = function("mws_working_set_section", c_int, c_void_p, c_int, POINTER(Section), POINTER(c_void_p))
set_servers = function("mws_working_set_servers", c_int, c_void_p, POINTER(Str), POINTER(c_void_p))
context_new = function(
    "mws_call_context_new", c_int, c_int, c_int, c_int, POINTER(c_void_p), POINTER(c_void_p)
)
context_free = function("mws_call_context_free", None, c_void_p)
plan_call = function(
    "mws_working_set_plan_call", c_int, c_void_p, c_char_p, c_size_t, c_void_p, POINTER(c_void_p), POINTER(c_void_p)
)
plan_free = function("mws_plan_free", None, c_void_p)
plan_tool_name = function("mws_plan_tool_name", Str, c_void_p)
plan_checked = function("mws_plan_checked", c_bool, c_void_p)

assert version().text().count(".") == 2

with open(sys.argv[2], "rb") as file:
    document = file.read()
given = json.loads(document)

ws, error = c_void_p(), c_void_p()
assert set_from_json(document, len(document), byref(ws), byref(error)) == 0 and not error
assert set_tool_count(ws) == len(given["tools"])

section = Section()
assert set_section(ws, 1, byref(section), None) == 0
lines = section.text.text().splitlines()
assert section.key.text() == "mcp-workingset" and section.tokens == -(-section.text.len // 4)
assert sum(line.startswith("### ") for line in lines) == len(given["servers"]), lines

servers = Str()
assert set_servers(ws, byref(servers), None) == 0
names = [server["name"] for server in json.loads(servers.text())]
assert names == sorted(server["name"] for server in given["servers"])
string_free(byref(servers))
assert servers.data is None

context, plan = c_void_p(), c_void_p()
assert context_new(1, 1, 1, byref(context), None) == 0
call = json.dumps({"server": "notes", "tool": "add_note", "arguments": {"text": "grün"}}, ensure_ascii=False).encode()
assert plan_call(ws, call, len(call), context, byref(plan), byref(error)) == 0
set_free(ws)
context_free(context)
assert plan_tool_name(plan).text() == "mcp__notes__add_note" and plan_checked(plan)
plan_free(plan)

broken = b'{"servers": [}'
assert set_from_json(broken, len(broken), byref(ws), byref(error)) == 3 and not ws
assert error_code(error).text() == "invalid_json"
error_free(error)
assert context_new(1, 99, 1, byref(context), None) == 9 and not context
