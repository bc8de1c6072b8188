/**
 * The service worker of the studio: without a network it answers with the page and its script as they were loaded last, and never while
 * there is one. It takes the files that a phone shares with the page.
 */

type Waiting = Event & { waitUntil(work: Promise<unknown>): void }
type Fetching = Waiting & { readonly request: Request; respondWith(response: Promise<Response>): void }

const PAGE = 'studio'
/** Before the name of a share, until the page that it opens takes its files: each has a store of its own. */
const SHARED = 'shared-'
/** A page that has not taken them by then never will. */
const SHARED_MS = 3600_000

addEventListener('install', (event) => {
  const own = new URLSearchParams(location.search)
  const wanted = [own.get('page'), own.get('photos')].filter((address) => address !== null)
  ;(event as Waiting).waitUntil(caches.open(PAGE).then((cache) => cache.addAll(wanted)))
})

addEventListener('fetch', (event) => {
  const fetching = event as Fetching
  const { method, mode, destination, url } = fetching.request
  if (method === 'POST' && mode === 'navigate' && new URL(url).searchParams.has('share')) {
    fetching.respondWith(takeShared(fetching.request))
  } else if (method === 'GET' && (mode === 'navigate' || destination === 'worker')) {
    fetching.respondWith(answer(fetching))
  }
})

async function answer(fetching: Fetching): Promise<Response> {
  const { request } = fetching
  const address = addressOf(request)
  try {
    const response = await fetch(request)
    const copy = response.clone()
    // Only what is kept already: of its script the page says which it is.
    if (response.ok && (await caches.match(address))) {
      fetching.waitUntil(caches.open(PAGE).then((cache) => cache.put(address, copy)))
    }
    return response
  } catch {
    // A page that was never kept is a network error.
    return (await caches.match(address)) ?? Response.error()
  }
}

/** The page's address may have a search of its own; by that of its script it is told from the page. */
function addressOf({ url, mode }: Request): string {
  return mode === 'navigate' ? new URL(url).pathname : url
}

async function takeShared(request: Request): Promise<Response> {
  const files = (await request.formData()).getAll('file').filter((one) => one instanceof File)
  await removeOld()
  const share = `${Date.now()}-${crypto.randomUUID()}`
  const cache = await caches.open(SHARED + share)
  for (const [at, file] of files.entries()) {
    const headers = { 'Content-Type': file.type, 'X-Name': encodeURIComponent(file.name) }
    await cache.put(`${at}`, new Response(file, { headers }))
  }
  return Response.redirect(`${new URL(request.url).pathname}?shared=${share}`, 303)
}

async function removeOld(): Promise<void> {
  for (const name of await caches.keys()) {
    const isOld = Date.now() - Number.parseInt(name.slice(SHARED.length), 10) > SHARED_MS
    if (name.startsWith(SHARED) && isOld) await caches.delete(name)
  }
}
