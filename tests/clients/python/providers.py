"""Providers' own packages judge what the host makes of its tools and results. Nothing is sent anywhere.

`providers.py replies FOLDER` writes replies of models into a folder, as each package makes them. `providers.py check FOLDER`
reads lists of tools, `tools.FORMAT.STRICT.json`, and results, `results.FORMAT.json`, and ends with a sentence at the first
that its provider's types do not take. Those types are made to refuse what they do not know, and have to refuse planted
breaches first.
"""

import copy
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic.types
import openai.types
import pydantic
from anthropic.lib._parse._transform import transform_schema
from google.genai import types as gemini
from openai.lib._pydantic import _ensure_strict_json_schema
from typing_extensions import is_typeddict

# The smallest whole number that a double cannot hold.
LARGE = 9007199254740993

CALLS = [
    ("call_one", "multiply", {"a": LARGE, "b": 1}),
    ("call_two", "nothing_of_that_name", {}),
    ("call_three", "multiply", {"a": "six"}),
    ("call_four", "test_image_content", {}),
    ("call_five", "fail", {}),
]


def refuse_unknown_keys(package: Any) -> None:
    """Makes every typed dictionary of a package refuse keys that it does not name."""
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        loaded = importlib.import_module(module.name)
        for found in vars(loaded).values():
            if is_typeddict(found) and not getattr(found, "__pydantic_config__", None):
                found.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")


def exhaust(value: Any) -> None:
    """Iterables are validated while they are read."""
    if isinstance(value, dict):
        for part in value.values():
            exhaust(part)
    elif isinstance(value, (list, tuple, Iterator)) or type(value).__name__ == "ValidatorIterator":
        for part in value:
            exhaust(part)


class Judge:
    """The types of one form."""

    def __init__(self, tool: Any, result: Any) -> None:
        self.tool = pydantic.TypeAdapter(tool)
        self.result = pydantic.TypeAdapter(result)

    def judge_tool(self, tool: Any) -> None:
        exhaust(self.tool.validate_python(tool))

    def judge_result(self, result: Any) -> None:
        exhaust(self.result.validate_python(result))


def judges() -> dict[str, Judge]:
    refuse_unknown_keys(openai.types)
    refuse_unknown_keys(anthropic.types)
    from anthropic.types import MessageParam, ToolParam
    from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionToolMessageParam
    from openai.types.responses import FunctionToolParam
    from openai.types.responses.response_input_item_param import FunctionCallOutput

    return {
        "openai": Judge(FunctionToolParam, FunctionCallOutput),
        "openai-chat": Judge(ChatCompletionFunctionToolParam, ChatCompletionToolMessageParam),
        "anthropic": Judge(ToolParam, MessageParam),
        "gemini": Judge(gemini.Tool, gemini.Content),
    }


def plain(schema: Any) -> Any:
    """Without the type beside constants, which Anthropic's package leaves out and its API takes."""
    if isinstance(schema, list):
        return [plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    literal = "enum" in schema or "const" in schema
    kept = {key: part for key, part in schema.items() if not (literal and key == "type" and isinstance(part, (str, list)))}
    return {
        key: {name: plain(part) for name, part in value.items()} if key == "properties" else plain(value)
        for key, value in kept.items()
    }


def judge_schema(form: str, tool: dict[str, Any]) -> None:
    """A strict schema is one that the provider's own package has nothing to change about."""
    function = tool.get("function", tool)
    if function.get("strict") is not True:
        return
    if form == "anthropic":
        schema = plain(tool["input_schema"])
        changed = plain(transform_schema(copy.deepcopy(schema)))
    else:
        schema = function["parameters"]
        changed = _ensure_strict_json_schema(copy.deepcopy(schema), path=(), root=schema)
    if changed != schema:
        raise ValueError(f"the package would write the schema as {json.dumps(changed)}, not {json.dumps(schema)}")


def plant(all_judges: dict[str, Judge]) -> int:
    """Breaches that every judge has to find: whoever takes anything judges nothing."""
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    open_schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": []}
    sound = {
        "openai": ({"type": "function", "name": "a", "parameters": schema, "strict": True}, {"type": "function_call_output", "call_id": "c", "output": "x"}),
        "openai-chat": ({"type": "function", "function": {"name": "a", "parameters": schema, "strict": True}}, {"role": "tool", "tool_call_id": "c", "content": "x"}),
        "anthropic": (
            {"name": "a", "input_schema": schema, "strict": True},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "x"}], "is_error": True}]},
        ),
        "gemini": ({"functionDeclarations": [{"name": "a"}]}, {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {}}}]}),
    }
    planted = 0
    for form, (tool, result) in sound.items():
        judge = all_judges[form]
        judge.judge_tool(tool)
        judge.judge_result(result)
        breaches = [(judge.judge_tool, {**tool, "title": "A"}), (judge.judge_result, {**result, "ok": True})]
        inner = copy.deepcopy(result)
        match form:
            case "openai":
                inner["output"] = [{"type": "input_text", "text": "x", "annotations": []}]
                breaches.append((judge.judge_tool, {key: tool[key] for key in tool if key != "name"}))
            case "openai-chat":
                del inner["tool_call_id"]
                breaches.append((judge.judge_tool, {**tool, "function": {**tool["function"], "input_schema": {}}}))
            case "anthropic":
                inner["content"][0]["content"][0]["mime"] = "text/plain"
                breaches.append((judge.judge_tool, {**tool, "parameters": {}}))
            case "gemini":
                inner["parts"][0]["functionResponse"]["isError"] = True
                breaches.append((judge.judge_tool, {"functionDeclarations": [{"name": "a", "input_schema": {}}]}))
        breaches.append((judge.judge_result, inner))
        if form != "gemini":
            held = copy.deepcopy(tool)
            held.get("function", held)["input_schema" if form == "anthropic" else "parameters"] = open_schema
            breaches.append((lambda it, form=form: judge_schema(form, it), held))
        for judgement, breach in breaches:
            try:
                judgement(breach)
            except (pydantic.ValidationError, ValueError):
                planted += 1
                continue
            fail(f"the types of {form} take {json.dumps(breach)}")
    return planted


def each_tool(form: str, tools: list[Any]) -> list[Any]:
    """The declarations of a list; all of Gemini's are in one tool."""
    if form != "gemini":
        return tools
    return [{"functionDeclarations": [one]} for tool in tools for one in tool["functionDeclarations"]]


def check(folder: Path) -> None:
    all_judges = judges()
    print(f"  ok  {plant(all_judges)} planted breaches are found")
    for form, judge in all_judges.items():
        lists, results = sorted(folder.glob(f"tools.{form}.*.json")), json.loads((folder / f"results.{form}.json").read_text())
        if len(lists) != 3:
            fail(f"there are {len(lists)} lists for {form}")
        for path in lists:
            tools = each_tool(form, json.loads(path.read_text())["tools"])
            for tool in tools:
                try:
                    judge.judge_tool(tool)
                    judge_schema(form, tool)
                except (pydantic.ValidationError, ValueError) as fault:
                    fail(f"{path.name}: {json.dumps(tool)}: {fault}")
            strict = sum(tool.get("function", tool).get("strict") is True for tool in tools)
            print(f"  ok  {len(tools)} tools of {path.name}, {strict} of them strict")
        for result in results:
            try:
                judge.judge_result(result)
            except pydantic.ValidationError as fault:
                fail(f"results for {form}: {json.dumps(result)}: {fault}")
        if ids(form, results) != [call_id for call_id, _, _ in CALLS]:
            fail(f"the results for {form} are not those of the calls, in their order: {ids(form, results)}")
        print(f"  ok  {len(CALLS)} results for {form}")


def ids(form: str, results: list[Any]) -> list[str]:
    match form:
        case "openai":
            return [result["call_id"] for result in results]
        case "openai-chat":
            return [result["tool_call_id"] for result in results]
        case "anthropic":
            return [block["tool_use_id"] for block in results[0]["content"]]
        case _:
            return [part["functionResponse"]["id"] for part in results[0]["parts"]]


def replies(folder: Path) -> None:
    from anthropic.types import Message, TextBlock, ToolUseBlock, Usage
    from openai.types.chat import ChatCompletion
    from openai.types.responses import ResponseFunctionToolCall

    items = [
        ResponseFunctionToolCall(type="function_call", call_id=call_id, name=name, arguments=json.dumps(arguments), status="completed")
        for call_id, name, arguments in CALLS
    ]
    write(folder, "openai", {"status": "completed", "output": [item.model_dump(mode="json") for item in items]})
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call_id, name, arguments in CALLS
    ]
    completion = ChatCompletion.model_validate(
        {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": calls}}],
        }
    )
    write(folder, "openai-chat", completion.model_dump(mode="json"))
    blocks = [ToolUseBlock(type="tool_use", id=call_id, name=name, input=arguments) for call_id, name, arguments in CALLS]
    message = Message(
        id="m",
        type="message",
        role="assistant",
        model="m",
        content=[TextBlock(type="text", text="I look."), *blocks],
        stop_reason="tool_use",
        usage=Usage(input_tokens=1, output_tokens=1),
    )
    write(folder, "anthropic", message.model_dump(mode="json"))
    parts = [gemini.Part(function_call=gemini.FunctionCall(id=call_id, name=name, args=arguments)) for call_id, name, arguments in CALLS]
    candidate = gemini.Candidate(finish_reason=gemini.FinishReason.STOP, content=gemini.Content(role="model", parts=parts))
    response = gemini.GenerateContentResponse(candidates=[candidate])
    write(folder, "gemini", response.model_dump(mode="json", by_alias=True, exclude_none=True))


def write(folder: Path, form: str, reply: Any) -> None:
    (folder / f"reply.{form}.json").write_text(json.dumps(reply))


def fail(sentence: str) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["replies", folder]:
            replies(Path(folder))
        case ["check", folder]:
            check(Path(folder))
        case _:
            fail("usage: providers.py replies|check FOLDER")
