# SPDX-License-Identifier: Apache-2.0
"""Loads files that Octet wrote with the real accelerate, and says which recipe each of them builds.

Reads a JSON list of {"form", "suffix", "text", "capability"} on standard input and prints a JSON list of {"runs"} or
{"error"}. OCTET_PEER names the folder of the peer scripts, whose stubs make transformer_engine importable on a CPU.
"""
import json
import logging
import os
import sys
import tempfile
import warnings

sys.path.insert(0, os.environ["OCTET_PEER"])
warnings.simplefilter("ignore")
logging.disable(logging.WARNING)

import accelerate_effective as peer  # noqa: E402
from stub import te_cpu  # noqa: E402

CASTS = {"input": "cast_config_input", "input_for_grad_weight": "cast_config_input_for_grad_weight",
         "weight": "cast_config_weight", "weight_for_grad_input": "cast_config_weight_for_grad_input",
         "grad_output": "cast_config_grad_output",
         "grad_output_for_grad_weight": "cast_config_grad_output_for_grad_weight"}
SWITCHES = ["enable_fsdp_float8_all_gather", "pad_inner_dim", "emulate", "round_scales_to_power_of_2"]


def plain(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(plain(v) for v in value)
    return str(value)


def te_call(recipe):
    fields = ", ".join(f"{k}={plain(v)}" for k, v in recipe.items() if k != "class")
    return f"{recipe['class']}({fields})"


def ao_call(config):
    parts = [f"{CASTS[k]}={'disabled' if config[k].startswith('dis') else config[k]}" for k in CASTS]
    parts.append(f"use_fast_accum={plain(config['fast_accum'])}")
    parts += [f"{k}={plain(config[k])}" for k in SWITCHES]
    return f"Float8LinearConfig({', '.join(parts)})"


def outcome(row):
    if "error" in row:
        return {"error": f"{row['stage']}: {row['error']}: {row['meaning']}"}
    if row.get("backend") == "AO":
        return {"runs": ao_call(row["ao_config"])}
    if row.get("backend") == "TE":
        return {"runs": te_call(row["recipe"])}
    return {"runs": "BF16 without FP8"}


def module_of(text):
    scope = {"__name__": "octet_export"}
    exec(compile(text, "export.py", "exec"), scope)
    return scope


def run(task):
    te_cpu.activate(capability=tuple(task["capability"]))
    if task["form"] in ("accelerate-yaml", "accelerate-json"):
        text = task["text"].replace("num_processes: 1\n", "num_processes: 1\nuse_cpu: true\n")
        if task["suffix"] == ".json":
            text = json.dumps({**json.loads(text), "use_cpu": True})
        return outcome(peer.by_launch(text=text, suffix=task["suffix"]))
    if task["form"] == "accelerate-kwargs":
        kwargs = json.loads(task["text"])
        cls = peer.AORecipeKwargs if "pad_inner_dim" in kwargs else peer.TERecipeKwargs
        return outcome(peer.run_accelerator({}, [cls(**kwargs)], "fp8"))
    scope = module_of(task["text"])
    if task["form"] == "python":
        if "recipe_handlers" not in scope:
            return {"runs": "BF16 without FP8"}
        return outcome(peer.run_accelerator({}, scope["recipe_handlers"](peer.model()), "fp8"))
    if task["form"] == "torchao":
        model = scope["convert"](peer.model())
        return {"runs": ao_call(peer.ao_config(scope["float8_config"]())),
                "layers": [n for n, m in model.named_modules() if type(m).__name__ == "Float8Linear"]}
    return {"runs": type(scope["te_recipe"]()).__name__}


if __name__ == "__main__":
    results = []
    for task in json.load(sys.stdin):
        try:
            results.append(run(task))
        except Exception as error:  # the test shows it
            results.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps(results))
