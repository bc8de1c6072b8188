import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { suite } from '../runner/suite'
import { browserPath, launchBrowser, type OpenPage, openPage } from './browser'

export type BrowserOfSuite = {
  /** A page of a person of its own, once one of ours is drawn in place of its frame, which without scripts is all. */
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>
  /** Closed after the test, the last one first. */
  readonly closing: (() => Promise<unknown>)[]
}

/** A browser for all tests of a suite, if one is installed. */
export function browserOfSuite(test: Pick<ReturnType<typeof suite>, 'before' | 'after'>): BrowserOfSuite {
  let browser: Browser | undefined
  const closing: (() => Promise<unknown>)[] = []
  test.before(async () => {
    if (browserPath) browser = await launchBrowser()
  })
  test.after.each(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  test.after(() => browser?.close())
  return {
    closing,
    async open(url, options = {}) {
      if (!browser) throw new Error('The browser is not started.')
      const page = await openPage(browser, url, options)
      closing.push(() => page.context().close())
      const isOurs = (await page.locator('#app').count()) > 0
      if (isOurs && options.javaScriptEnabled !== false) await page.locator('#content').waitFor()
      return page
    },
  }
}

/** Waits until the page shows the text somewhere. */
export function says(page: OpenPage, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor()
}

/** Presses one of the two tiles with which the room page begins. */
export function choose(page: OpenPage, role: 'host' | 'guest'): Promise<void> {
  const name = role === 'host' ? /I want to host|我想当房主/ : /I want to join|我想当房客/
  return page.getByRole('button', { name }).click()
}
