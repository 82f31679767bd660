"""A stand-in: keeps traits, and says what it would send to the browser."""

import base64
import json

import traitlets

shown = []


class AnyWidget:
    def __init__(self, **given):
        traits = {}
        for kind in reversed(type(self).__mro__):
            traits |= {name: trait for name, trait in vars(kind).items() if isinstance(trait, traitlets.Any)}
        unknown = set(given) - set(traits)
        if unknown:
            raise TypeError(f"unknown traits {unknown}")
        self.state = {}
        for name, trait in traits.items():
            if not trait.metadata.get("sync"):
                continue
            value = given.get(name, trait.default)
            convert = trait.metadata.get("to_json", lambda value, widget: value)
            self.state[name] = convert(value, self)
        shown.append(self)


def sent():
    """The state of all widgets; bytes are base64 in an object."""
    return json.dumps(
        [widget.state for widget in shown],
        default=lambda value: {"base64": base64.b64encode(value).decode()},
    )
