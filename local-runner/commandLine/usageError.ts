/** The command was typed wrong; the message is one sentence about it. */
export class UsageError extends Error {
  /** The command of the program that it is about, when there is one. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.command = command
  }
}
