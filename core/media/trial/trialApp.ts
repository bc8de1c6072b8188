import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { timingSafeEqual } from 'hono/utils/buffer'
import { renderSVG } from 'uqr'
import { parseJson } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { failureOf } from '#core/http/errorResponse'
import { type WebPage, webPageResponse } from '#core/http/webPage'
import { isUnlikePrediction } from './outcomes'
import { phoneOfRequest, WANTED_HINTS } from './phoneOfRequest'
import type { TrialRecord } from './trialRecord'
import { addVerdict, readGivenVerdict, type Verdict, verdictsOnFiles } from './verdicts'

/** Bytes. A verdict has some 300. */
const MAX_BODY = 8 * 1024

export type TrialAppDependencies = {
  readonly trial: TrialRecord
  readonly page: WebPage
  /** 128 random bits or more. Anyone who knows it may read the files and give verdicts. */
  readonly token: string
  /** The addresses of this page, `http://192.168.1.2:8123/…/`, the best one first. */
  readonly links: () => readonly string[]
  /** A file of the trial. @throws ServiceError `not-found` */
  readFile(name: string): Promise<Uint8Array>
  readVerdicts(): Promise<readonly Verdict[]>
  /** Called with the verdicts as they are, never twice at once. */
  updateVerdicts(change: (verdicts: readonly Verdict[]) => readonly Verdict[]): Promise<readonly Verdict[]>
  /** Unix time in milliseconds. */
  readonly now: () => number
}

/** What the page shows. */
export type TrialView = {
  readonly source: string
  readonly variants: TrialRecord['variants']
  readonly left_out: TrialRecord['left_out']
  readonly links: readonly { readonly url: string; readonly svg: string }[]
  readonly phone: { readonly model: string | null; readonly system: string | null }
  readonly verdicts: readonly ShownVerdict[]
}

export type ShownVerdict = Verdict & {
  /** Whether `inspect` had predicted the contrary. */
  readonly is_unlike_prediction: boolean
}

/** The trial as a function from request to response: everything is below a path that is its token. */
export function createTrialApp(dependencies: TrialAppDependencies): (request: Request) => Promise<Response> {
  const { trial, page, token, links, now } = dependencies
  const app = new Hono()
  app.use(async (context, next) => {
    refuseForeign(context.req.raw, links())
    const given = context.req.path.split('/')[1] ?? ''
    if (!(await timingSafeEqual(given, token))) throw nothingHere()
    await next()
  })
  app.get('/:token', (context) => context.redirect(`/${token}/`, 308))
  app.get('/:token/', () => {
    const response = webPageResponse(page)
    response.headers.set('Accept-CH', WANTED_HINTS)
    return response
  })
  app.get('/:token/trial', async (context) => {
    const { model, system } = phoneOfRequest(context.req.raw.headers)
    const view: TrialView = {
      source: trial.source.name,
      variants: trial.variants,
      left_out: trial.left_out,
      links: links().map((url) => ({ url, svg: renderSVG(url) })),
      phone: { model: model ?? null, system: system ?? null },
      verdicts: shown(await dependencies.readVerdicts()),
    }
    return context.json(view, 200, NO_STORE)
  })
  app.get('/:token/files/:name', async (context) => {
    const found = trial.variants.find(({ file }) => file === context.req.param('name'))
    if (!found) throw nothingHere()
    const bytes = await dependencies.readFile(found.file)
    if (createHash('sha256').update(bytes).digest('hex') !== found.sha256) throw changed()
    return context.body(bytes.slice().buffer, 200, {
      ...NO_STORE,
      'Content-Type': found.content_type,
      'Content-Length': String(bytes.length),
      'Content-Disposition': `attachment; filename="${found.file}"`,
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
  })
  app.post('/:token/verdicts', smallBody, async (context) => {
    const given = readGivenVerdict(await jsonOf(context))
    const verdicts = await dependencies.updateVerdicts((old) => addVerdict(old, given, trial, now()))
    return context.json({ verdicts: shown(verdicts) }, 200, NO_STORE)
  })
  app.notFound((context) => errorResponse(nothingHere(), context))
  app.onError(errorResponse)
  return async (request) => app.fetch(request)

  function shown(verdicts: readonly Verdict[]): ShownVerdict[] {
    return verdictsOnFiles(verdicts, trial).map((verdict) => ({
      ...verdict,
      is_unlike_prediction: isUnlikePrediction(verdict, trial),
    }))
  }
}

const NO_STORE = { 'Cache-Control': 'no-store' }

const smallBody = bodyLimit({
  maxSize: MAX_BODY,
  onError: () => {
    throw new ServiceError('payload-too-large', `The body must not be larger than ${MAX_BODY} bytes.`)
  },
})

/**
 * Refuses requests under a host name that is not one of ours, which a foreign page could have made lead here, and writes that
 * another page makes a browser send.
 * @throws ServiceError `forbidden`
 */
function refuseForeign({ url, method, headers }: Request, links: readonly string[]): void {
  const own = links.map((link) => new URL(link).origin)
  const { origin: called } = new URL(url)
  if (!own.includes(called)) throw forbidden('Call the page by the address that the program has printed.')
  if (method === 'GET' || method === 'HEAD') return
  const origin = headers.get('Origin')
  const site = headers.get('Sec-Fetch-Site')
  const isForeign =
    origin === null ? site !== null && site !== 'same-origin' && site !== 'none' : origin !== called
  if (isForeign) throw forbidden('The request comes from another web page, which may not use this one.')
}

async function jsonOf({ req }: Context): Promise<unknown> {
  const type = req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new ServiceError('unsupported-media', 'Send the body as JSON, with Content-Type: application/json.')
  }
  return parseJson(await req.text())
}

function errorResponse(thrown: unknown, context: Context): Response {
  const { error, status, headers } = failureOf(thrown)
  return context.json({ detail: error.detail, code: error.code }, status, headers)
}

function nothingHere(): ServiceError {
  return new ServiceError('not-found', 'There is nothing at this address.')
}

function forbidden(detail: string): ServiceError {
  return new ServiceError('forbidden', detail)
}

function changed(): ServiceError {
  return new ServiceError('conflict', 'The file in the folder has changed. Start the trial again.')
}
