// What kernels on several threads call of their caller's JavaScript (cpp/kernels/stream.h). It is web/lib/streamingMemory.ts that
// answers; this is for Emscripten's linker.
mergeInto(LibraryManager.library, {
  bring_in: function () {
    return 0;
  },
  take_out: function () {},
});
