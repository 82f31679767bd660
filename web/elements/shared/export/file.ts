/** Offers the reader a file, as a click on a download link does. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Most browsers have opened the URL by the end of the click; some read it a moment later.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
