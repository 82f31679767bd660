/** A call's result or error, in a comparable form. */
export async function outcome(call: () => unknown): Promise<unknown> {
  try {
    return { result: await call() };
  } catch (error) {
    const { name, message } = error as Error;
    return { thrown: `${name}: ${message}` };
  }
}
