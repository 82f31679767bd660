/** What a call gave, or what it threw, both comparable. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return { result: await call() };
  } catch (error) {
    const { name, message } = error as Error;
    return { thrown: `${name}: ${message}` };
  }
}
