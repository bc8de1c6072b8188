import { RequestProblem } from '../../shared/ask'
import type { Tasks } from './worker'

/** Stands for the worker that was built with this page. */
declare const __WORKER__: string

type Waiting = {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
  readonly onPart?: ((part: never) => void) | undefined
}

/** Those that have not answered, by the number of the question. */
const waiting = new Map<number, Waiting>()
let worker: Worker | undefined
let asked = 0

/**
 * Has the worker do something. A bitmap is its own from then on.
 * @throws what the task throws; RequestProblem `page-outdated` when there is no worker of this version of the page
 */
export function inWorker<Name extends keyof Tasks>(name: Name, ...args: Parameters<Tasks[Name]>) {
  return inWorkerByParts(undefined, name, ...args)
}

/** As `inWorker`. @param onPart takes what the task tells before its end */
export function inWorkerByParts<Name extends keyof Tasks>(
  onPart: ((part: never) => void) | undefined,
  name: Name,
  ...args: Parameters<Tasks[Name]>
) {
  return new Promise<Awaited<ReturnType<Tasks[Name]>>>((resolve, reject) => {
    asked += 1
    waiting.set(asked, { resolve, reject, onPart })
    try {
      worker ??= start()
      const transfer = args.filter((one) => one instanceof ImageBitmap)
      worker.postMessage({ id: asked, name, args, isByParts: onPart !== undefined }, transfer)
    } catch {
      giveUp()
    }
  })
}

/** What a `<meta>` of the page says. */
export function contentOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content
}

function start(): Worker {
  // By this name it knows whether it is of the page's own version.
  const started = new Worker(contentOf('photos') ?? '', { name: __WORKER__ })
  started.onmessage = ({ data: { id, value, error, part } }) => {
    const { resolve, reject, onPart } = waiting.get(id) ?? {}
    if (part !== undefined) {
      onPart?.(part as never)
      return
    }
    waiting.delete(id)
    if (error === undefined) resolve?.(value as never)
    else reject?.(error)
  }
  started.onerror = giveUp
  return started
}

/** It was not loaded, is of another version, or has died. */
function giveUp(): void {
  worker?.terminate()
  worker = undefined
  for (const { reject } of waiting.values()) reject(new RequestProblem('page-outdated', ''))
  waiting.clear()
}
