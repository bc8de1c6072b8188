/** What the work has written to this process's standard output and standard error, which show nothing of it. */
export async function capturedOutput<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly stdout: string; readonly stderr: string }> {
  const text = { stdout: '', stderr: '' }
  const original = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const name of ['stdout', 'stderr'] as const)
    process[name].write = (chunk: string | Uint8Array) => {
      text[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      return true
    }
  try {
    const result = await work()
    return { result, stdout: text.stdout, stderr: text.stderr }
  } finally {
    process.stdout.write = original.stdout
    process.stderr.write = original.stderr
  }
}
