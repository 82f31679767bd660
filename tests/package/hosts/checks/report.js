/**
 * Runs checks and says which have passed, and why the others have not.
 *
 * @param {Record<string, () => Promise<void>>} checks
 */
export async function report(checks) {
  const lines = Object.entries(checks).map(async ([name, check]) => {
    try {
      await check();
      return name;
    } catch (error) {
      return `${name} failed: ${error.stack}`;
    }
  });
  return `Checked: ${(await Promise.all(lines)).join(', ')}.`;
}
