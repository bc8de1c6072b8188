import { type ChildProcess, type ChildProcessByStdio, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import type { HttpEvent } from '../../../handlers/host/address'
import { observe, projectRoot, type Settings } from '../process/serverProcess'
import { workerPath } from '../process/workerPath'

export type Call = { readonly event: unknown; readonly remainingMs: number }

export type Reply = {
  readonly loaded?: true
  readonly failed?: string
  /** What a handler that does not stream returned. */
  readonly result?: unknown
  readonly streamed?: {
    readonly statusCode: number
    readonly headers: Readonly<Record<string, string>>
    readonly base64: string
    readonly brokenBy?: string
  }
}

export type LambdaProcess = {
  readonly child: ChildProcess
  /** Standard output, where a function's log goes. */
  readonly lines: () => string[]
  invoke(event: unknown, remainingMs?: number): Promise<Reply>
  /** Of a handler that streams. @throws what broke the answer off */
  send(event: HttpEvent): Promise<{ status: number; headers: Readonly<Record<string, string>>; body: Buffer }>
  stop(): Promise<void>
}

/** A place that holds no more than a function's package does: no other bundle, no installed packages, no map. */
export async function openTask(
  names: readonly string[],
): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await makeTempFolder('lantern-task')
  for (const name of names) {
    await mkdir(join(folder, name, 'dist/handlers'), { recursive: true })
    const file = `dist/handlers/${name}.mjs`
    await copyFile(join(projectRoot, file), join(folder, name, file))
  }
  return { folder, remove: () => removeFolders(folder) }
}

/** Starts a built handler from such a place, with nothing but these settings in its environment. */
export async function startLambda(
  taskFolder: string,
  name: string,
  settings: Settings = {},
  exported = 'handler',
): Promise<LambdaProcess> {
  const task = join(taskFolder, name)
  const child = fork(
    workerPath('support/hosts/lambdaWorker'),
    [join(task, `dist/handlers/${name}.mjs`), exported],
    {
      cwd: task,
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        FFMPEG_PATH: process.env.FFMPEG_PATH,
        LAMBDA_TASK_ROOT: task,
        AWS_LAMBDA_FUNCTION_NAME: name,
        AWS_REGION: 'eu-central-1',
        RESPONSE_MODE: 'stream',
        ...settings,
      },
    },
  )
  const { stdout, stderr, ended, end } = observe(child as ChildProcessByStdio<null, Readable, Readable>)
  const failed = ended.then((exit) => ({ failed: `ended: ${exit}\n${stderr()}` }))
  const reply = async (): Promise<Reply> => {
    const message = once(child, 'message').then(([first]) => first as Reply)
    const first: Reply = await Promise.race([message, failed])
    if (first.failed !== undefined) throw new Error(first.failed)
    return first
  }
  const invoke = (event: unknown, remainingMs = 60_000) => {
    const answer = reply()
    child.send({ event, remainingMs } satisfies Call)
    return answer
  }
  await reply()
  return {
    child,
    invoke,
    lines: () => stdout().split('\n').filter(Boolean),
    async send(event) {
      const { streamed } = await invoke(event)
      if (streamed === undefined) throw new Error('the handler did not stream')
      if (streamed.brokenBy !== undefined) throw new Error(streamed.brokenBy)
      const { statusCode, headers, base64 } = streamed
      return { status: statusCode, headers, body: Buffer.from(base64, 'base64') }
    },
    stop: () => end(),
  }
}
