"""A stand-in for the kinds of traits that the guide uses."""


class Any:
    default = None

    def __init__(self, default=None):
        self.default = self.default if default is None else default
        self.metadata = {}

    def tag(self, **metadata):
        self.metadata = metadata
        return self


class Unicode(Any):
    default = ""


class Dict(Any):
    default = {}
