/** Whether a process runs; its number may have been given to another one since it ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
