import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { readMotionPhoto } from '../../core/media/motionPhoto/read'
import { type Running, startMediaHost } from '../support/mediaHost'
import { findProgram } from '../support/findProgram'
import { suite } from '../support/suite'

const browserPath = findProgram('chromium') ?? findProgram('google-chrome')
const test = suite('a browser', { timeoutMs: 60_000 })
const inBrowser = test.skipUnless(browserPath, 'Chromium is not installed')

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--autoplay-policy=no-user-gesture-required'],
]

let folder: string
let host: Running
let site: Server
let browser: Browser | undefined
let prepared: { session_id: string; preview_url: string; duration: number }
let photo: Uint8Array

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lantern-browser-'))
  host = await startMediaHost({ DATA_DIR: join(folder, 'data') })
  await makeVideo(join(folder, 'video.mp4'))
  prepared = await upload(join(folder, 'video.mp4'))
  const answer = await fetch(`${host.url}/convert`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ session_id: prepared.session_id, range_start: '1', range_end: '3', cover_time: '2', speed: '1' },
    }),
  })
  photo = new Uint8Array(await answer.arrayBuffer())
  site = await serveIsolatedSite()
  if (browserPath) browser = await chromium.launch({ executablePath: browserPath, args: FLAGS })
})

test.after(async () => {
  await browser?.close()
  site?.close()
  await host?.stop()
  await rm(folder, { recursive: true, force: true })
})

inBrowser('shows the motion photo as a picture at full size', async () => {
  const page = await isolatedPage()
  const size = await page.evaluate(async () => {
    const image = new Image()
    image.src = '/photo.jpg'
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
  assert.equal(size, [960, 540])
})

inBrowser('plays the embedded clip to its end', async () => {
  const page = await isolatedPage()
  const played = await page.evaluate(async () => {
    const video = document.createElement('video')
    video.muted = true
    video.src = '/clip.mp4'
    const ended = new Promise<string>((resolve) => {
      video.onended = () => resolve('ended')
      video.onerror = () => resolve(`error ${video.error?.message}`)
    })
    await video.play()
    return { how: await ended, duration: video.duration, at: video.currentTime, height: video.videoHeight }
  })
  assert.is(played.how, 'ended')
  assert.ok(Math.abs(played.duration - 2) < 1 / 30, `the clip lasts ${played.duration} s`)
  assert.ok(played.at > 1.9)
  assert.is(played.height, 540)
})

inBrowser('seeks in the preview from a cross-origin isolated page, to the frame that was asked for', async () => {
  const page = await isolatedPage()
  const seen = await page.evaluate(async (url) => {
    const video = document.createElement('video')
    video.muted = true
    video.crossOrigin = 'anonymous'
    video.src = url
    const greys: number[] = []
    for (const second of [0.5, 3.5, 1.5]) {
      await new Promise((resolve, reject) => {
        video.onseeked = resolve
        video.onerror = () => reject(new Error(video.error?.message))
        video.currentTime = second
      })
      const canvas = document.createElement('canvas')
      canvas.width = video.videoWidth
      canvas.height = video.videoHeight
      const context = canvas.getContext('2d')
      context?.drawImage(video, 0, 0)
      greys.push(context?.getImageData(480, 270, 1, 1).data[0] ?? -1)
    }
    return { isIsolated: crossOriginIsolated, greys }
  }, prepared.preview_url)
  assert.is(seen.isIsolated, true)
  // The picture grows lighter second by second: 40, 80, 120, 160.
  for (const [index, expected] of [40, 160, 80].entries()) {
    assert.ok(Math.abs((seen.greys[index] ?? -1) - expected) <= 6, `greys ${seen.greys}`)
  }
})

inBrowser('plays the preview without CORS from an isolated page, as a plain video tag does', async () => {
  const page = await isolatedPage()
  const duration = await page.evaluate(
    (url) =>
      new Promise<number>((resolve, reject) => {
        const video = document.createElement('video')
        video.onloadedmetadata = () => resolve(video.duration)
        video.onerror = () => reject(new Error(video.error?.message))
        video.src = url
      }),
    prepared.preview_url,
  )
  assert.ok(Math.abs(duration - prepared.duration) < 0.1)
})

inBrowser('reads errors across origins, with credentials', async () => {
  const page = await isolatedPage()
  const answer = await page.evaluate(async (url) => {
    const response = await fetch(`${url}/cleanup`, {
      method: 'POST',
      credentials: 'include',
      headers: { 'Content-Type': 'application/json', 'X-Anything': '1' },
      body: JSON.stringify({ session_id: 'unknown' }),
    })
    return { status: response.status, body: await response.json() }
  }, host.url)
  assert.is(answer.status, 404)
  assert.is(answer.body.code, 'not-found')
})

inBrowser('shows a page at / that names the service, its state and its API document', async () => {
  const page = await newPage()
  await page.goto(host.url)
  assert.is(await page.title(), 'Motion photo API')
  assert.match(await page.locator('.state').innerText(), /ready/)
  await page.locator('a').click()
  assert.match(page.url(), /\/openapi\.json$/)
})

test.run()

async function newPage(): Promise<Page> {
  if (!browser) throw new Error('no browser')
  const context = await browser.newContext()
  return context.newPage()
}

async function isolatedPage(): Promise<Page> {
  const page = await newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  return page
}

/** Another origin than the service's, isolated as pages are that use shared memory. */
async function serveIsolatedSite(): Promise<Server> {
  const motionPhoto = readMotionPhoto(photo)
  if (!motionPhoto?.clip) throw new Error('no motion photo came back')
  const { offset, length } = motionPhoto.clip
  const files: Record<string, [string, Uint8Array]> = {
    '/': ['text/html', new TextEncoder().encode('<!doctype html><title>isolated</title>')],
    '/photo.jpg': ['image/jpeg', photo],
    '/clip.mp4': ['video/mp4', photo.subarray(offset, offset + length)],
  }
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', new Uint8Array()]
    response.writeHead(files[request.url ?? ''] ? 200 : 404, {
      'Content-Type': type,
      'Content-Length': body.length,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Four seconds, each of one grey. */
async function makeVideo(output: string): Promise<void> {
  const second = (level: number) =>
    `color=0x${level.toString(16).repeat(3)}:s=960x540:r=30:d=1,format=rgb24`
  await promisify(execFile)(process.env.FFMPEG_PATH || 'ffmpeg', [
    ...['-v', 'error', '-y', ...[40, 80, 120, 160].flatMap((level) => ['-f', 'lavfi', '-i', second(level)])],
    ...['-f', 'lavfi', '-i', 'sine=440:d=4', '-filter_complex', '[0][1][2][3]concat=n=4,format=yuv420p[v]'],
    ...['-map', '[v]', '-map', '4:a', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', output],
  ])
}

async function upload(path: string): Promise<typeof prepared> {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(await readFile(path))]), 'video.mp4')
  const answer = await fetch(`${host.url}/prepare`, { method: 'POST', body: form })
  return (await answer.json()) as typeof prepared
}
