import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { launchBrowser, openPage } from '#support/browser/browser'
import { startNodeHost } from '#support/hosts/hosts'
import { ffmpegPath, openMediaFolder } from '#support/media/media'

const FOLDER = 'docs/images'
const FILM = { width: 1280, height: 720, seconds: 8, rate: 30 }
const WINDOW = { width: 1040, height: 720 }
/** How wide the moving picture is. */
const MOVING_PX = 800

/** Photographs the studio for the README, with a film that is drawn by `harbour.js`. */
export async function takeReadmePictures(): Promise<void> {
  const [browser, host, media] = [await launchBrowser(), await startNodeHost(), await openMediaFolder()]
  try {
    const film = media.path('harbour.mp4')
    await makeFilm(browser, film)
    await takeMade(browser, host.url, film)
    await takePhone(browser, host.url, film)
    await takeMoving(browser, host.url, film)
  } finally {
    await media.remove()
    await host.stop()
    await browser.close()
  }
}

async function makeFilm(browser: Browser, path: string): Promise<void> {
  const { width, height, seconds, rate } = FILM
  const page = await browser.newPage()
  await page.addScriptTag({ path: 'tests/figures/harbour.js' })
  const sea = `anoisesrc=color=brown:amplitude=0.4:duration=${seconds},lowpass=900`
  const encoder = spawn(
    ffmpegPath,
    [
      ...['-v', 'error', '-f', 'image2pipe', '-framerate', `${rate}`, '-c:v', 'mjpeg', '-i', '-'],
      ...['-f', 'lavfi', '-i', sea, '-shortest', '-c:v', 'libx264', '-crf', '19', '-g', `${rate}`],
      ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  )
  for (let frame = 0; frame < seconds * rate; frame += 1) {
    const drawn = String(await page.evaluate(`drawHarbour(${width}, ${height}, ${frame / rate})`))
    if (!encoder.stdin.write(Buffer.from(drawn, 'base64'))) await once(encoder.stdin, 'drain')
  }
  encoder.stdin.end()
  await once(encoder, 'close')
  await page.close()
}

/** A photo was made, on a computer in English. */
async function takeMade(browser: Browser, url: string, film: string): Promise<void> {
  const page = await openPage(browser, url, { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 })
  await openFilm(page, film)
  await make(page)
  await save('studio.webp', await page.screenshot(), 1440)
  await page.context().close()
}

/** The range is chosen, on a phone in Chinese. */
async function takePhone(browser: Browser, url: string, film: string): Promise<void> {
  const viewport = { width: 360, height: 740 }
  const phone = { viewport, locale: 'zh-CN', deviceScaleFactor: 2, hasTouch: true, isMobile: true }
  const page = await openPage(browser, url, phone)
  await openFilm(page, film)
  await save('studio-phone.webp', await page.screenshot(), 720)
  await page.context().close()
}

async function openFilm(page: Page, film: string): Promise<void> {
  await page.setInputFiles('input[type=file]', film)
  await page.locator('.timeline').waitFor()
  await page.locator('.estimate dd').nth(1).waitFor()
  // Until the strip has all of its pictures.
  await page.waitForTimeout(4000)
}

async function make(page: Page): Promise<void> {
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
  await page.mouse.move(0, 0)
  await page.waitForTimeout(1000)
}

async function save(name: string, picture: Buffer, width: number): Promise<void> {
  await sharp(picture).resize({ width }).webp({ quality: 84, effort: 6 }).toFile(join(FOLDER, name))
}

type Shot = { readonly picture: Buffer; readonly ms: number }
type Shoot = (ms: number, clip?: Parameters<Page['screenshot']>[0]) => Promise<void>

/** The way from a dropped file to a photo that moves, as one picture. */
async function takeMoving(browser: Browser, url: string, film: string): Promise<void> {
  const page = await openPage(browser, url, { viewport: WINDOW, deviceScaleFactor: 2, bypassCSP: true })
  const shots: Shot[] = []
  const shoot: Shoot = async (ms, options = {}) => {
    const picture = sharp(await page.screenshot(options)).resize({ width: MOVING_PX })
    shots.push({ picture: await picture.png().toBuffer(), ms })
  }
  await page.evaluate(POINTER)
  await takeDrop(page, shoot)
  await page.evaluate('point(-100, 0, "")')
  await openFilm(page, film)
  await shoot(900)
  await takeDrag(page, shoot)
  const [x, y] = await middleOf(page, '.editor > .main')
  await page.mouse.move(x, y)
  await page.evaluate(`point(${x}, ${y}, "")`)
  await shoot(500)
  await make(page)
  await shoot(900)
  await takePlaying(page, shoot)
  await page.context().close()
  await sharp(
    shots.map(({ picture }) => picture),
    { join: { animated: true } },
  )
    .webp({ quality: 72, effort: 6, delay: shots.map(({ ms }) => ms), loop: 0 })
    .toFile(join(FOLDER, 'studio-moving.webp'))
}

async function takeDrop(page: Page, shoot: Shoot): Promise<void> {
  await shoot(700)
  const [x, y] = await middleOf(page, '.drop h2')
  for (let step = 6; step > 0; step -= 1) {
    await page.evaluate(`point(${x + step * 70}, ${y + step * 42}, 'harbour.mp4')`)
    if (step < 5) await page.evaluate(`dispatchEvent(new DragEvent('dragover', { cancelable: true }))`)
    await shoot(90)
  }
  await page.evaluate(`point(${x}, ${y}, 'harbour.mp4')`)
  await shoot(700)
}

/** An end of the range is dragged, and back. */
async function takeDrag(page: Page, shoot: Shoot): Promise<void> {
  const [x, y] = await middleOf(page, '.handle.end')
  await page.mouse.move(x, y)
  await page.mouse.down()
  for (const by of [0, 14, 28, 42, 56, 56, 42, 28, 14, 0]) {
    await page.mouse.move(x + by, y)
    await page.evaluate(`point(${x + by}, ${y}, "")`)
    await page.waitForTimeout(700)
    await shoot(110)
  }
  await page.mouse.up()
}

const PLAYED_SHOTS = 30
const SHOT_MS = 100

/** The photo, from near by, while the mouse is on it. */
async function takePlaying(page: Page, shoot: Shoot): Promise<void> {
  const [x, y] = await middleOf(page, '.result .live')
  const [width, height] = [WINDOW.width / 2.5, WINDOW.height / 2.5]
  const clip = { x: WINDOW.width - width, y: Math.min(y - height / 2, WINDOW.height - height), width, height }
  for (const step of [3, 2, 1, 0]) {
    await page.evaluate(`point(${x - step * 30}, ${y - step * 60}, "")`)
    await shoot(step === 3 ? 500 : 120)
  }
  await page.mouse.move(x, y)
  const video = `document.querySelector('.result .live').shadowRoot.querySelector('video')`
  for (let shot = 0; shot < PLAYED_SHOTS; shot += 1) {
    // It is stopped for each picture: a busy machine would leave some out.
    await page.evaluate(`(async () => {
      while (!(${video}?.readyState >= 2)) await new Promise(requestAnimationFrame)
      const video = ${video}
      video.playbackRate = 0.0625
      const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve))
      video.currentTime = ${(shot * SHOT_MS) / 1000}
      await shown
    })()`)
    await shoot(SHOT_MS, { clip })
  }
}

async function middleOf(page: Page, selector: string): Promise<readonly [x: number, y: number]> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not shown.`)
  return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]
}

/** A mouse pointer, and a file that it carries: a browser without a window draws none. */
const POINTER = `{
  const pointer = document.createElement('div')
  pointer.style.cssText = 'position:fixed;z-index:99;pointer-events:none;left:-100px;font:600 13px sans-serif'
  const arrow = '<svg width="22" height="30" viewBox="0 0 16 22" style="display:block"><path d="M1 1v16l4-4 3 7 3-1-3-7h6z" fill="#111" stroke="#fff" stroke-width="1.3"/></svg>'
  document.body.append(pointer)
  globalThis.point = (x, y, file) => {
    const chip = '<div style="margin:-6px 0 0 14px;padding:6px 12px;border-radius:8px;background:#1c2528;color:#fff;box-shadow:0 4px 14px #0006">' + file + '</div>'
    pointer.innerHTML = arrow + (file && chip)
    pointer.style.left = x + 'px'
    pointer.style.top = y + 'px'
  }
}`
