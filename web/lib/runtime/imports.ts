/** What a module imports. Threads of the pool need nothing else of the library, so it has a file of its own. */
const ignore = (): void => undefined;

/**
 * All imports of a module. Those that are not given do nothing: of Embind's functions, whose number depends on
 * Emscripten's version, most register types that the bindings never pass.
 */
export function importsOf(module: WebAssembly.Module, given: WebAssembly.ModuleImports): WebAssembly.Imports {
  const embind = WebAssembly.Module.imports(module).filter(({ name }) => name.startsWith('_embind_register_'));
  return {
    env: {
      ...Object.fromEntries(embind.map(({ name }) => [name, ignore])),
      bring_in: ignore,
      emscripten_notify_memory_growth: ignore,
      lost_thread: ignore,
      take_out: ignore,
      ...given,
    },
  };
}
