import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findProgram } from '../process/findProgram'

/** Without its own window's parts a browser takes a quarter of the processor time for a page. */
export const browserPath =
  findProgram('chromium-headless-shell') ?? findProgram('chromium') ?? findProgram('google-chrome')
export const WHY_NO_BROWSER = 'Chromium is not installed'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  // The client of a sound server leaves a folder among the temporary files.
  '--disable-audio-output',
]

/** @param names those that lead to this machine; no other name leads anywhere. @param more flags besides */
export async function launchBrowser(
  names: readonly string[] = [],
  ...more: readonly string[]
): Promise<Browser> {
  if (browserPath === undefined) throw new Error(WHY_NO_BROWSER)
  const here = names.map((name) => `MAP ${name} 127.0.0.1, `).join('')
  const rules = `--host-resolver-rules=${here}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`
  return chromium.launch({ executablePath: browserPath, args: [...FLAGS, rules, ...more], timeout: 180_000 })
}

export type OpenPage = Page & {
  /** What the page should not have said: errors of scripts, violations of its policy, requests to others. */
  readonly complaints: readonly string[]
}

/** For a page to do something; Playwright's own 30 s are too few on a busy machine. */
export const PAGE_MS = 100_000

/** A page of a person of its own, in English unless the options say otherwise. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    locale: 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  context.setDefaultTimeout(PAGE_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const isOfService = /Failed to load resource|WebSocket connection/.test(message.text())
    if (message.type() === 'error' && !isOfService) complaints.push(message.text())
  })
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && host !== new URL(url).host) complaints.push(request.url())
  })
  await page.goto(url)
  return Object.assign(page, { complaints })
}

/** What axe finds wrong with the page as it is now: rule and element. */
export async function accessProblems(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** Presses Tab until the focused element is the wanted one. @throws where it is not reached */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    const isThere = `document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`
    if (await page.evaluate(isThere)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${selector}.`)
}
