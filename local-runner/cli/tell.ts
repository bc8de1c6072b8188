import { jsonLine, printable } from '../commandLine/readArguments'

/** The path of a result on standard output: a program that reads it gets it as it is, a terminal as it may be shown. */
export function tellPath(path: string): void {
  process.stdout.write(`${process.stdout.isTTY ? printable(path) : path}\n`)
}

/** An object of `--json` on standard output. */
export function tellObject(value: object): void {
  process.stdout.write(jsonLine(value))
}
