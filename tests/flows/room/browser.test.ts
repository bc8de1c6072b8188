import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { browserPath, launchBrowser, WHY_NO_BROWSER } from '#support/browser/browser'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openPort } from '#support/process/openPort'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { assert, suite } from '#support/runner/suite'

const test = suite('web pages and the room service', { timeoutMs: 60_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)

/** Names of the test's own. */
const NAMES = ['evil.example', 'rebound.example', 'launcher.example']

const { roomNetwork } = createMemoryNetwork()
let site: Server
let sitePort: number
let target: InnerTarget
let browser: Browser | undefined

test.before(async () => {
  site = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end('<!doctype html><title>a page</title><p>')
  })
  sitePort = await openPort(site)
  target = await openServedTarget(roomNetwork, {
    ROOM_ALLOWED_ORIGINS: `http://launcher.example:${sitePort}`,
  })
  if (browserPath) browser = await launchBrowser(NAMES)
})

test.after(async () => {
  await browser?.close()
  site?.close()
  await target?.stop()
})

/** Pages that are nobody's: of another host, of this host under another port, under another name of this machine, and of no origin. */
const FOREIGN = () => [
  `http://evil.example:${sitePort}/`,
  `http://127.0.0.1:${sitePort}/`,
  `http://localhost:${sitePort}/`,
  'data:text/html,<!doctype html><title>a page</title>',
]

const EFFECTS = ['/state/scanning?player=Evil', '/state/guesting?room=U/YNZE-U61D-2206-HXRG', '/state/ide']

async function openPage(url: string): Promise<Page> {
  if (!browser) throw new Error('no browser')
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** Runs in the page. */
function run<T>(page: Page, script: string): Promise<T> {
  return page.evaluate(`(async () => { ${script} })()`)
}

/** Nothing has ever begun: the service has not moved since it was started. */
function nothingHappened(): void {
  const { state, role, index } = target.api.roomState.view()
  assert.equal([state, role, index], ['waiting', null, 0])
  assert.not.match(target.api.log.text(), /hosting|joining/)
}

/** Tries something on each foreign page, after which nothing may have begun. */
async function onForeignPages(attempt: (page: Page) => Promise<void>): Promise<void> {
  for (const url of FOREIGN()) {
    const page = await openPage(url)
    await attempt(page)
    nothingHappened()
    await page.context().close()
  }
}

inBrowser('a foreign page can neither read the state, listen, nor frame the room page', () =>
  onForeignPages(async (page) => {
    await cannotFrame(page)
    for (const path of ['/state', '/room/status', '/meta', '/config', '/log']) {
      const read = `fetch(${JSON.stringify(target.url + path)}).then((answer) => answer.text(), () => 'refused')`
      assert.is(await run(page, `return ${read}`), 'refused')
    }
    assert.is(await run(page, listenIn(target.url)), 'closed 1006')
  }),
)

inBrowser('a foreign page starts no room by what it embeds, fetches or sends', () =>
  onForeignPages(async (page) => {
    for (const path of EFFECTS) {
      const there = JSON.stringify(`${target.url}${path}`)
      const outcomes = await run<string[]>(
        page,
        `const seen = []
         const load = (tag, name) => new Promise((resolve) => {
           const element = document.createElement(tag)
           element.onload = () => resolve(tag + ' loaded')
           element.onerror = () => resolve(tag + ' refused')
           if (tag === 'link') element.rel = 'stylesheet'
           element[name] = ${there}
           document.body.append(element)
         })
         for (const [tag, name] of [['img', 'src'], ['script', 'src'], ['link', 'href']]) seen.push(await load(tag, name))
         for (const init of [{}, { credentials: 'include' }, { method: 'POST', body: '{}' }])
           seen.push(await fetch(${there}, init).then(() => 'fetched', () => 'refused'))
         await fetch(${there}, { mode: 'no-cors' }).catch(() => {})
         await fetch(${there}, { mode: 'no-cors', method: 'POST', body: '{}' }).catch(() => {})
         navigator.sendBeacon(${there}, '{}')
         return seen`,
      )
      assert.equal(outcomes, [
        'img refused',
        'script refused',
        'link refused',
        'refused',
        'refused',
        'refused',
      ])
    }
  }),
)

inBrowser('a foreign page gives no orders', async () => {
  await onForeignPages(async (page) => {
    for (const path of ['/room/host/start', '/room/stop', '/shutdown', '/config/launcher']) {
      const there = JSON.stringify(`${target.url}${path}`)
      const read = await run<string>(
        page,
        `await fetch(${there}, { mode: 'no-cors', method: 'POST', body: '{"launcherCustomString":"evil"}' }).catch(() => {})
         const headers = { 'Content-Type': 'application/json' }
         return fetch(${there}, { method: 'POST', body: '{}', headers }).then(() => 'fetched', () => 'refused')`,
      )
      assert.is(read, 'refused')
    }
  })
  const config = await (await target.send('/config')).text()
  assert.match(config, /"launcherCustomString":null/)
})

inBrowser('a name that somebody points at this machine is no way in', async () => {
  const { port } = new URL(target.url)
  const page = await openPage(`http://rebound.example:${port}/state`)
  assert.match(await page.locator('body').innerText(), /"code":"forbidden"/)
  const read = await run(page, `return fetch('/state').then((answer) => answer.status)`)
  assert.is(read, 403)
  assert.is(await run(page, listenIn(`http://rebound.example:${port}`)), 'closed 1006')
  await page.context().close()
  nothingHappened()
})

inBrowser('the page of an allowed launcher can do everything', async () => {
  const page = await openPage(`http://launcher.example:${sitePort}/`)
  const there = JSON.stringify(target.url)
  assert.is(await run(page, listenIn(target.url)), '{"type":"state","state":"waiting"}')
  const started = await run<{ status: number; room: string }>(
    page,
    `const headers = { 'Content-Type': 'application/json' }
     const body = JSON.stringify({ waitForGame: false, gamePort: 1 })
     const answer = await fetch(${there} + '/room/host/start', { method: 'POST', headers, body })
     const { room } = await (await fetch(${there} + '/state')).json()
     return { status: answer.status, room }`,
  )
  assert.is(started.status, 200)
  assert.is(started.room, target.api.roomState.view().room)
  const refusal = await run(
    page,
    `return fetch(${there} + '/state/guesting?room=x').then(async (answer) => (await answer.json()).code)`,
  )
  assert.is(refusal, 'invalid-request')
  assert.is(
    await run(page, `return fetch(${there} + '/room/stop', { method: 'POST' }).then((a) => a.status)`),
    200,
  )
  await page.context().close()
})

inBrowser(
  'the service’s own page shows what it is, may ask and listen, and cannot be framed either',
  async () => {
    for (const url of [target.url, target.url.replace('127.0.0.1', 'localhost')]) {
      const page = await openPage(url)
      assert.is(await page.title(), 'Lantern Room')
      assert.is(
        await run(page, `return fetch('/state').then(async (answer) => (await answer.json()).state)`),
        'waiting',
      )
      assert.is(await run(page, `return fetch('/room/retry', { method: 'POST' }).then((a) => a.status)`), 200)
      assert.is(await run(page, listenIn(url)), '{"type":"state","state":"waiting"}')
      await page.goto(`${url}/openapi.json`)
      await cannotFrame(page)
      await page.context().close()
    }
  },
)

async function cannotFrame(page: Page): Promise<void> {
  const seen = await run<string>(
    page,
    `const frame = document.createElement('iframe')
     frame.src = ${JSON.stringify(`${target.url}/`)}
     const loaded = new Promise((resolve) => { frame.onload = resolve })
     document.body.append(frame)
     await loaded
     try { return frame.contentDocument?.title ?? 'of another origin' } catch { return 'refused' }`,
  )
  assert.is(seen, 'of another origin')
  const titles = await Promise.all(page.frames().map((frame) => frame.title()))
  assert.not.ok(titles.includes('Lantern Room'), page.url())
}

/** The first state that a WebSocket gets, in the page. */
function listenIn(url: string): string {
  return `return new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(`${url.replace('http', 'ws')}/ws`)})
    socket.onmessage = ({ data }) => {
      const { type, state } = JSON.parse(data)
      if (type !== 'state') return
      resolve(JSON.stringify({ type, state }))
      socket.close()
    }
    socket.onclose = ({ code }) => resolve('closed ' + code)
  })`
}

test.run()
