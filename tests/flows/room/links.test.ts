import { createServer, type Server } from 'node:http'
import type { Browser, Page, Response } from 'playwright-core'
import { browserPath, launchBrowser, PAGE_MS, WHY_NO_BROWSER } from '#support/browser/browser'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openPort } from '#support/process/openPort'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { assert, suite } from '#support/runner/suite'
import { type OpenApi, operationsOf } from '../../contract/http/openApi'

const test = suite('links and the room service', { timeoutMs: 120_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)

const CODE = 'U/YNZE-U61D-2206-HXRG'

/** Every GET that does something, and what the player is told that a link to it wanted. */
const EFFECTS = [
  [`/state/scanning?player=Evil&room=${CODE}`, 'open a room on this computer', '在这台电脑上创建房间'],
  [`/state/guesting?room=${CODE}`, 'have this computer join a room', '让这台电脑加入一个房间'],
  ['/state/ide', 'close or leave the room', '关闭或退出房间'],
  ['/panic?peaceful=true', 'close the room and end the program', '关闭房间并退出程序'],
  ['/doctor', 'check this computer and its network', '检查这台电脑和它的网络'],
  ['/report', 'make a report about this computer', '生成关于这台电脑的报告'],
] as const

const { roomNetwork } = createMemoryNetwork()
let site: Server
let sitePort: number
let target: InnerTarget
let browser: Browser | undefined

test.before(async () => {
  site = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://evil.example')
    const to = searchParams.get('to') ?? '/'
    response.writeHead(pathname === '/go' ? 302 : 200, {
      'Content-Type': 'text/html',
      ...(pathname === '/go' && { Location: to }),
      ...(pathname === '/refresh' && { Refresh: `0; url=${to}` }),
    })
    response.end('<!doctype html><title>a page</title><p>')
  })
  sitePort = await openPort(site)
  target = await openServedTarget(roomNetwork)
  if (browserPath) browser = await launchBrowser(['evil.example'])
})

test.after(async () => {
  await browser?.close()
  site?.close()
  await target?.stop()
})

test.after.each(() => {
  const { state, role, index } = target.api.roomState.view()
  assert.equal([state, role, index], ['waiting', null, 0])
})

const evil = (path: string, to = '') =>
  `http://evil.example:${sitePort}${path}${to && `?to=${encodeURIComponent(to)}`}`

/** A page of a browser that is at no site yet, for a while. */
async function withPage(work: (page: Page) => Promise<void>): Promise<void> {
  if (!browser) throw new Error('no browser')
  const context = await browser.newContext({ locale: 'en-US' })
  context.setDefaultTimeout(PAGE_MS)
  try {
    await work(await context.newPage())
  } finally {
    await context.close()
  }
}

/** What the service answers at this path when the page does this, in whatever tab or frame. */
async function answerTo(page: Page, path: string, act: () => Promise<unknown>): Promise<Response> {
  const wanted = new URL(path, target.url)
  const answered = page.context().waitForEvent('response', {
    predicate: (response) => {
      const { origin, pathname } = new URL(response.url())
      return origin === wanted.origin && pathname === wanted.pathname
    },
  })
  await act()
  return answered
}

/** Appends an element to the page, as its own script would; a form is sent, and a link followed. */
function append(page: Page, tag: string, properties: Readonly<Record<string, string>>): Promise<unknown> {
  return page.evaluate(`{
    const element = Object.assign(document.createElement('${tag}'), ${JSON.stringify(properties)})
    document.body.append(element)
    if (element.localName === 'a') element.click()
    if (element.action) element.submit()
  }`)
}

/** Ways by which a browser is led to an address: in a tab of its own, where the player sees the answer, or inside of a page. */
const WAYS: Readonly<Record<string, (page: Page, url: string) => Promise<unknown>>> = {
  'a typed address': (page, url) => page.goto(url),
  'a redirect': (page, url) => page.goto(evil('/go', url)),
  'a refresh': (page, url) => page.goto(evil('/refresh', url)),
  async 'a link of another site'(page, url) {
    await page.goto(evil('/'))
    await append(page, 'a', { href: url })
  },
  async 'a link without a Referer'(page, url) {
    await page.goto(evil('/'))
    await append(page, 'a', { href: url, rel: 'noreferrer' })
  },
  async 'a link to a redirect'(page, url) {
    await page.goto(evil('/'))
    await append(page, 'a', { href: evil('/go', url) })
  },
  async 'a form'(page, url) {
    await page.goto(evil('/'))
    await append(page, 'form', { action: url, method: 'get' })
  },
  async 'a link of the service itself'(page, url) {
    await page.goto(`${target.url}/meta`)
    await append(page, 'a', { href: url })
  },
}

const HIDDEN_WAYS: typeof WAYS = {
  'a frame': (page, url) => append(page, 'iframe', { src: url }),
  'an object': (page, url) => append(page, 'object', { data: url }),
  'an embedded document': (page, url) => append(page, 'embed', { src: url, type: 'text/html' }),
  'another window': (page, url) => page.evaluate(`void open(${JSON.stringify(url)})`),
  'a form that posts': (page, url) => append(page, 'form', { action: url, method: 'post' }),
}

// Each way leads to another order; the service refuses all by one rule, and the other tests try them all.
inBrowser('whatever leads to an order, it is refused by a page that says what it wanted', () =>
  withPage(async (page) => {
    for (const [index, [way, lead]] of Object.entries(WAYS).entries()) {
      const [path, en, zh] = EFFECTS[index % EFFECTS.length] ?? EFFECTS[0]
      const [name = ''] = path.split('?')
      const answer = await answerTo(page, name, () => lead(page, target.url + path))
      assert.equal([way, answer.status()], [way, 403])
      await page.getByText('Nothing was done').waitFor()
      const words = await page.locator('body').innerText()
      for (const part of [en, '没有执行任何操作', zh]) assert.ok(words.includes(part), words)
    }
  }),
)

inBrowser('what leads there inside of a page, by a post or in a window is refused', () =>
  withPage(async (page) => {
    for (const [way, lead] of Object.entries(HIDDEN_WAYS)) {
      const order = `${target.url}/state/scanning?player=Evil`
      await page.goto(evil('/'))
      const answer = await answerTo(page, '/state/scanning', () => lead(page, order))
      assert.equal([way, answer.status()], [way, 403])
    }
  }),
)

/** The paths of the service by their method, as its document has them. */
async function pathsOf(wanted: 'GET' | 'POST'): Promise<readonly string[]> {
  const document = (await (await target.send('/openapi.json')).json()) as OpenApi
  return operationsOf(document).flatMap(({ method, path }) => (method === wanted ? [path] : []))
}

const PATHS_WITH_EFFECT = EFFECTS.map(([path]) => path.split('?')[0] ?? '')

test('these are all GETs that refuse links', async () => {
  const headers = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }
  const refused: string[] = []
  for (const path of await pathsOf('GET'))
    if (path !== '/ws' && (await target.send(path, { headers })).status === 403) refused.push(path)
  assert.equal(refused.sort(), [...PATHS_WITH_EFFECT].sort())
})

inBrowser('a form of another site is refused at every POST, with a Referer and without', () =>
  withPage(async (page) => {
    const posts = await pathsOf('POST')
    assert.ok(posts.length > 10, posts.join())
    for (const [at, template] of posts.entries()) {
      const path = template.replace('{id}', 'x')
      await page.goto(evil('/'))
      const content = at % 2 === 0 ? 'unsafe-url' : 'no-referrer'
      await append(page, 'meta', { name: 'referrer', content })
      const form = { action: target.url + path, method: 'post' }
      const answer = await answerTo(page, path, () => append(page, 'form', form))
      assert.equal([path, content, answer.status()], [path, content, 403])
      await page.getByText('使用这台电脑上的房间服务').waitFor()
    }
  }),
)

inBrowser('a link neither ends the room nor moves the player to another one', async () => {
  const order = { waitForGame: false, gamePort: 1, room: CODE, playerName: 'Alex' }
  const headers = { 'Content-Type': 'application/json' }
  await target.send('/room/host/start', { method: 'POST', headers, body: JSON.stringify(order) })
  await withPage(async (page) => {
    for (const [path] of EFFECTS) {
      await page.goto(target.url + path)
      await page.goto(evil('/go', target.url + path))
      const { role, room } = target.api.roomState.view()
      assert.equal([path, role, room], [path, 'host', CODE])
    }
  })
  await target.send('/room/stop', { method: 'POST' })
  await target.stop()
  target = await openServedTarget(roomNetwork)
})

inBrowser('what a page of another site has loaded, now or in advance, is refused', () =>
  withPage(async (page) => {
    for (const [path] of EFFECTS) {
      const [name = ''] = path.split('?')
      const refusals = () =>
        target.api.log.text().split(`"route":${JSON.stringify(name)},"status":403`).length - 1
      const before = refusals()
      await page.goto(evil('/'))
      const outcomes = await page.evaluate(`Promise.all(
        [['img', 'src'], ['script', 'src'], ['link', 'href']].map(([tag, name]) => new Promise((resolve) => {
          const element = document.createElement(tag)
          if (tag === 'link') element.rel = 'prefetch'
          element.onload = () => resolve('loaded')
          element.onerror = () => resolve('refused')
          element[name] = ${JSON.stringify(target.url + path)} + '#' + tag
          document.body.append(element)
        })),
      )`)
      assert.equal([path, outcomes, refusals() - before], [path, ['refused', 'refused', 'refused'], 3])
    }
  }),
)

inBrowser('the refusal runs nothing, is shown in no frame, and leads to the room page', () =>
  withPage(async (page) => {
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    const url = `${target.url}/state/scanning?player=<script>alert(1)</script>&x="onload=alert(1)`
    const answer = await answerTo(page, '/state/scanning', () => page.goto(url))
    assert.not.match(await answer.text(), /script|alert|onload/)
    assert.match(
      answer.headers()['content-security-policy'] ?? '',
      /script-src 'none'.*frame-ancestors 'none'/,
    )
    assert.is(answer.headers()['cache-control'], 'no-store')
    const width = await page.evaluate(`getComputedStyle(document.body).maxWidth`)
    assert.is(width, '608px', complaints.join())
    await page.getByRole('link', { name: 'the room page' }).click()
    await page.getByRole('button', { name: 'I want to host' }).first().waitFor()
  }),
)

inBrowser('the room page opens by its address, and begins nothing by what else is in it', () =>
  withPage(async (page) => {
    const order = `room=${CODE}&code=${CODE}&player=Evil&join=1&invite=${CODE}`
    for (const url of [
      target.url,
      `${target.url}/?${order}#${order}`,
      evil('/go', `${target.url}/?${order}`),
    ]) {
      assert.is((await page.goto(url))?.status(), 200)
      await page.getByRole('button', { name: 'I want to host' }).first().waitFor()
    }
  }),
)

inBrowser('what tells only is shown at its address', () =>
  withPage(async (page) => {
    for (const path of await pathsOf('GET')) {
      if (path === '/ws' || PATHS_WITH_EFFECT.includes(path)) continue
      const answer = await page.goto(target.url + path)
      assert.equal([path, answer?.status()], [path, 200])
    }
  }),
)

inBrowser('a launcher that is a page goes on asking by fetch', () =>
  withPage(async (page) => {
    await page.goto(`${target.url}/meta`)
    const statuses = await page.evaluate(
      `Promise.all(['/doctor', '/report', '/state/ide'].map((path) => fetch(path).then(({ status }) => status)))`,
    )
    assert.equal(statuses, [200, 200, 200])
  }),
)

test.run()
