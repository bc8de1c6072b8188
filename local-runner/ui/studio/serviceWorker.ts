/**
 * The service worker of the studio as a file: without a network it answers with the page as it was loaded last, and with its
 * script for files. The page itself puts both into the cache; nothing else is kept.
 */

type Fetching = Event & { readonly request: Request; respondWith(response: Promise<Response>): void }

addEventListener('fetch', (event) => {
  const { request } = event as Fetching
  if (request.mode !== 'navigate' && request.destination !== 'worker') return
  ;(event as Fetching).respondWith(fetch(request).catch(() => kept(request)))
})

/** Its own address may have a search; a page that was never kept is a network error. */
async function kept(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreSearch: true })) ?? Response.error()
}
