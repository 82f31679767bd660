/** The URL of the folder of all pages, one or two above a language's: /en/ or /en/further/. */
export const ROOT = new URL(/\/further\/[^/]*$/.test(location.pathname) ? '../../' : '../', location.href);
