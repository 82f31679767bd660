/** Replaces what the library needs for several threads, which are files of their own, in builds of one file. */
export const threaded = () => {
  throw new Error('a build of one file');
};
