import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ServiceError, tooSlow } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { FfmpegOutcome, FfmpegTask } from '@lantern-room/media/ports'
import { lineTail } from './lineTail'
import { trackGroup } from './runningGroups'

/** A program that stops reading its standard input is no error. */
export type ProcessTask = Omit<FfmpegTask, 'onFrame'> & {
  readonly file: string
  /** Called with each line of standard error; false keeps the line out of the outcome. */
  readonly onStderrLine?: ((line: string) => boolean) | undefined
  /** Address space of the program. Has no effect on Windows and macOS. */
  readonly memoryLimitBytes?: number | undefined
  /** Added to our own, where the memory is limited. Has no effect on Windows. */
  readonly environment?: Readonly<Record<string, string>> | undefined
}

/**
 * Runs a program to its end. Any exit code is an outcome.
 * When it must stop early, it and all its children are killed. The promise rejects only when they have ended: with
 * the signal's reason, with what `stdin` or `onStderrLine` threw, or with a ServiceError `timeout`, `unprocessable`
 * (too much output) or `unavailable` (the program cannot be started).
 */
export async function runProcess(task: ProcessTask): Promise<FfmpegOutcome> {
  task.signal.throwIfAborted()
  const child = launch(task)
  if (child.pid === undefined) throw await failedStart(child)
  const group = trackGroup(child.pid)

  let failure: { readonly reason: unknown } | undefined
  const stop = (reason: unknown) => {
    failure ??= { reason }
    group.kill()
    // The rest of the output is not needed, and a process outside of the group may hold these pipes open.
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const unsubscribe = onAbort(task.signal, () => stop(task.signal.reason))
  const timer = setTimeout(() => stop(tooSlow()), Math.min(task.timeoutMs, MAX_TIMER_MS))
  const chunks = collect(child.stdout, task.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES, stop)
  const tail = lineTail(MAX_STDERR_BYTES, task.onStderrLine ?? (() => true))
  child.stderr?.on('data', (chunk: Buffer) => attempt(() => tail.push(chunk), stop)).on('error', stop)
  void feedInput(child.stdin, task.stdin, stop)

  return new Promise((resolve, reject) => {
    child.on('error', stop)
    child.once('exit', group.ended)
    child.once('close', (exitCode: number | null) => {
      clearTimeout(timer)
      unsubscribe()
      const stderr = attempt(tail.end, stop) ?? ''
      if (failure !== undefined) reject(failure.reason)
      else if (task.memoryLimitBytes !== undefined && (exitCode === 126 || exitCode === 127))
        reject(cannotStart(new Error(stderr)))
      else resolve({ exitCode, stdout: joined(chunks), stderr })
    })
  })
}

const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const MAX_STDERR_BYTES = 256 * 1024
const MAX_TIMER_MS = 2 ** 31 - 1

function launch(task: ProcessTask): ChildProcess {
  const onWindows = process.platform === 'win32'
  const [file, args] =
    task.memoryLimitBytes === undefined || onWindows
      ? [task.file, task.args]
      : ['/bin/sh', ['-c', limited(task, task.memoryLimitBytes), task.file, ...task.args]]
  try {
    return spawn(file, args, {
      // A group of its own, so that one signal reaches all of it; Windows would open a window instead.
      detached: !onWindows,
      windowsHide: true,
      stdio: [task.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw cannotStart(error)
  }
}

/**
 * The limit counts address space, of which glibc reserves 64 MiB per thread unless it is set to share its arenas. The
 * shell is replaced by the program, so that the child is the program itself.
 */
function limited({ maxFileBytes, environment = {} }: ProcessTask, memoryBytes: number): string {
  const settings = Object.entries({ MALLOC_ARENA_MAX: '2', ...environment })
  const exported = settings.map(([name, value]) => `export ${name}=${quoted(value)}`).join('; ')
  // In blocks. The signal that ends a program beyond it would leave a core.
  const blocks = maxFileBytes === undefined ? undefined : Math.ceil(maxFileBytes / 512)
  const files = blocks === undefined ? '' : `ulimit -c 0 2>/dev/null; ulimit -f ${blocks} 2>/dev/null; `
  return `ulimit -v ${Math.ceil(memoryBytes / 1024)} 2>/dev/null; ${files}${exported}; exec "$0" "$@"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function collect(stdout: Readable | null, maxBytes: number, stop: (reason: unknown) => void): Buffer[] {
  const chunks: Buffer[] = []
  let bytes = 0
  stdout?.on('error', stop).on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes)
      stop(new ServiceError('unprocessable', `The result would be larger than ${maxBytes} bytes.`))
    else chunks.push(chunk)
  })
  return chunks
}

function joined(chunks: readonly Buffer[]): Uint8Array {
  const bytes = Buffer.concat(chunks)
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

function attempt<T>(act: () => T, stop: (reason: unknown) => void): T | undefined {
  try {
    return act()
  } catch (error) {
    stop(error)
    return undefined
  }
}

async function failedStart(child: ChildProcess): Promise<ServiceError> {
  // Its pipes close a moment later. It has none when the process is out of file descriptors.
  const closed = child.stdout ? new Promise((resolve) => child.once('close', resolve)) : undefined
  const [error] = await once(child, 'error')
  await closed
  return cannotStart(error)
}

function cannotStart(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'A program that the service needs cannot be started.', { cause })
}

/**
 * Writes to a program's standard input at the pace of its reading, and ends it. A program may exit, or close its
 * input, before it has read everything; its exit code says whether that was right.
 * @param stop gets what the source throws
 */
async function feedInput(
  stdin: Writable | null,
  source: ProcessTask['stdin'],
  stop: (reason: unknown) => void,
): Promise<void> {
  if (stdin === null || source === undefined) return
  stdin.on('error', () => undefined)
  if (source instanceof Uint8Array) stdin.end(source)
  else await pipeline(reporting(source, stop), stdin).catch(() => undefined)
}

async function* reporting(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  stop: (reason: unknown) => void,
) {
  try {
    yield* source
  } catch (error) {
    stop(error)
  }
}
