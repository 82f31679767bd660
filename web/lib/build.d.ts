/** The package's version; set by the build. */
declare const __VERSION__: string;
