/** The file as a data: URL, made by Vite. */
declare module '*?url&inline' {
  const url: string;
  export default url;
}
