/** What the module imports. The pool's threads need nothing else of the library, so it has its own file. */
const ignore = (): void => undefined;

/**
 * All imports of a module; the ones not given do nothing. Most of Embind's, whose number depends on Emscripten's
 * version, register types that the bindings never pass.
 */
export function importsOf(module: WebAssembly.Module, given: WebAssembly.ModuleImports): WebAssembly.Imports {
  const embind = WebAssembly.Module.imports(module).filter(({ name }) => name.startsWith('_embind_register_'));
  return {
    env: {
      ...Object.fromEntries(embind.map(({ name }) => [name, ignore])),
      copy_inputs: ignore,
      emscripten_notify_memory_growth: ignore,
      lost_thread: ignore,
      copy_output: ignore,
      ...given,
    },
  };
}
