"""sphinx-build . _build"""

project = "Positions"
html_title = "Positions"
exclude_patterns = ["_build", "node_modules"]
# Copies the folder `elements`, among others, to _static.
html_static_path = ["node_modules/wasm-attention/dist"]
html_js_files = [("elements/auto.js", {"type": "module"})]
