import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createDeferred } from '@lantern-room/base/async'
import { openPort } from '#support/process/openPort'
import { observe, type Settings } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'

export type FunctionOptions = {
  /** The folder of AWS's runtime interface client, the package `aws-lambda-ric` of npm. */
  readonly client: string
  /** Where the function's package is unpacked. */
  readonly task: string
  /** As the template names it: `dist/handlers/prepare.handler`. */
  readonly handler: string
  readonly timeoutSeconds: number
  readonly memoryMb: number
  readonly settings: Settings
}

/** A function that runs: it stands still between its events, as in Lambda. */
export type RunningFunction = {
  /** @returns the request with which the runtime client answers, as soon as that begins; it has to be read to its end */
  invoke(event: string): Promise<IncomingMessage>
  /** Resolves when the runtime client has asked for the next event. */
  rests(): Promise<void>
  /** Undefined while it runs. */
  readonly ended: Promise<number | NodeJS.Signals>
  said(): string
  stop(): Promise<void>
}

/**
 * Starts a function under AWS's own runtime client, with a Runtime API of our own. It has a temporary folder of its own, and nothing but
 * its settings in its environment.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startFunction(options: FunctionOptions): Promise<RunningFunction> {
  const { timeoutSeconds } = options
  let asked = createDeferred<ServerResponse>()
  let answered = createDeferred<IncomingMessage>()
  const api = createServer((request, response) => {
    const { url = '' } = request
    if (url.endsWith('/invocation/next')) return asked.resolve(response)
    request.once('end', () => response.writeHead(202, { 'Content-Type': 'application/json' }).end('{}'))
    if (url.endsWith('/response')) return answered.resolve(request)
    const fail = (told: unknown) => answered.reject(new Error(JSON.stringify(told)))
    json(request).then(fail, fail)
  })
  // The runtime client waits for its next event as long as it takes.
  Object.assign(api, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 })
  const address = `127.0.0.1:${await openPort(api)}`
  const temporary = await makeTempFolder('lantern-sandbox')
  const { child, ended, said } = startProcess(options, address, temporary)
  const gone = ended.then((exit): never => {
    throw new Error(`The function has ended: ${exit}\n${said().slice(-2000)}`)
  })
  gone.catch(() => undefined)
  return {
    ended,
    said,
    async invoke(event) {
      child.kill('SIGCONT')
      const next = await Promise.race([asked.promise, gone])
      asked = createDeferred()
      answered = createDeferred()
      const headers = {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': randomUUID(),
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + timeoutSeconds * 1000),
        'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-central-1:123456789012:function:packaged',
      }
      next.writeHead(200, headers).end(event)
      return Promise.race([answered.promise, gone])
    },
    async rests() {
      await Promise.race([asked.promise, gone])
      child.kill('SIGSTOP')
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      api.closeAllConnections()
      api.close()
      await removeFolders(temporary)
    },
  }
}

function startProcess(
  { client, task, handler, memoryMb, settings }: FunctionOptions,
  api: string,
  temporary: string,
) {
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${Math.floor(memoryMb * 0.9)}`, join(client, 'index.mjs')],
    {
      cwd: task,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        FFMPEG_PATH: process.env.FFMPEG_PATH,
        HOME: '/dev/null',
        TMPDIR: temporary,
        AWS_LAMBDA_RUNTIME_API: api,
        _HANDLER: handler,
        LAMBDA_TASK_ROOT: task,
        AWS_LAMBDA_FUNCTION_NAME: handler,
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/packaged',
        AWS_LAMBDA_LOG_STREAM_NAME: 'packaged',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
        AWS_REGION: 'eu-central-1',
        ...settings,
      },
    },
  )
  const { stdout, stderr, ended } = observe(child)
  return { child, ended, said: () => `${stdout()}${stderr()}` }
}
