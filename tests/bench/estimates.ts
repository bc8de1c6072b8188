import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { browserPath, launchBrowser, type OpenPage, openPage } from '#support/browser/browser'
import { startNodeHost } from '#support/hosts/hosts'
import { ffmpeg } from '#support/media/media'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'

const SECONDS = 4
const GOAL = 0.25

/** A large picture with fine parts and flat ones, over which a camera may move. */
const SCENE =
  'mandelbrot=size=2560x1600:rate=1:start_scale=0.05,noise=alls=14,gblur=0.8,loop=-1:1,fps=30,trim=duration=4'

/** What is filmed, with ffmpeg's own pictures: its graph, and how it is encoded. */
const VIDEOS: readonly (readonly [name: string, graph: string, rate: string])[] = [
  ['zoom1080.mp4', 'mandelbrot=size=1920x1080:rate=30', '-crf 20'],
  [
    'cells720.mp4',
    'life=s=640x360:mold=10:r=30:ratio=0.1:death_color=#C83232:life_color=#00ff00,scale=1280:720',
    '-crf 23',
  ],
  ['cellsPortrait.mp4', 'cellauto=s=540x960:rule=110:scroll=1:r=30,scale=1080:1920,gblur=1.5', '-crf 24'],
  ['gradients1080.mp4', 'gradients=s=1920x1080:r=30:speed=0.02:n=6', '-b:v 1500k'],
  [
    'held1080.mp4',
    `${SCENE},crop=1920:1080:x='300+30*sin(n/9)+6*sin(n/2.3)':y='250+20*cos(n/11)',noise=alls=6:allf=t`,
    '-b:v 17M',
  ],
  [
    'chat480.mp4',
    `${SCENE},scale=1280:800,crop=480:640:x='300+40*sin(n/14)':y='60+20*cos(n/11)'`,
    '-b:v 800k',
  ],
  [
    'pan60.mp4',
    `${SCENE.replace('fps=30', 'fps=60')},crop=1920:1080:x='100+n':y=200,noise=alls=4:allf=t`,
    '-crf 21',
  ],
  [
    'panPortrait.mp4',
    `${SCENE},crop=1080:1600:x='200+n*1.5':y=0,scale=1080:1920,setsar=1,noise=alls=3:allf=t`,
    '-crf 23',
  ],
  ['tripod1080.mp4', `${SCENE},crop=1920:1080,noise=alls=9:allf=t`, '-b:v 12M'],
  ['low360.mp4', 'mandelbrot=size=640x360:rate=30,rotate=t/6', '-b:v 400k'],
]

/** What is chosen: each makes the service encode the clip anew. */
const CHOICES: Readonly<Record<string, (page: OpenPage) => Promise<unknown>>> = {
  smaller: (page) => page.getByLabel('Smaller').check(),
  square: (page) => page.getByRole('combobox', { name: 'Crop' }).selectOption('1:1'),
  'wide, silent, 2×': async (page) => {
    await page.getByRole('combobox', { name: 'Crop' }).selectOption('16:9')
    await page.getByLabel('Keep the sound').uncheck()
    await page.getByLabel('Speed').selectOption('2')
  },
}

/** How large the studio says that a photo will be, and how large it is, where the service encodes its clip. */
export async function benchEstimates(): Promise<void> {
  if (browserPath === undefined) return console.log('\nestimates: skipped, Chromium is not installed')
  const folder = await makeTempFolder('lantern-bench')
  const service = await startNodeHost()
  const browser = await launchBrowser()
  let farOff = 0
  try {
    console.log(`\nsizes that the studio estimates: goal ± ${GOAL * 100} %`)
    for (const [name, graph, rate] of VIDEOS) {
      const video = await film(folder, name, graph, rate)
      for (const [choice, choose] of Object.entries(CHOICES)) {
        const page = await openPage(browser, service.url)
        const made = await makeWith(page, video, choose).finally(() => page.context().close())
        if (!made) continue
        const off = made.estimated / made.bytes - 1
        if (Math.abs(off) > GOAL) farOff += 1
        console.log(
          `  ${basename(video).padEnd(20)}${choice.padEnd(18)}${megabytes(made.estimated)} said ${megabytes(made.bytes)} made ${(off * 100).toFixed(0).padStart(5)} %`,
        )
      }
    }
    console.log(`  ${farOff} are further off`)
  } finally {
    await browser.close()
    await service.stop()
    await removeFolders(folder)
  }
}

async function film(folder: string, name: string, graph: string, rate: string): Promise<string> {
  const path = join(folder, name)
  const sound = ['-f', 'lavfi', '-i', `anoisesrc=color=pink:amplitude=0.3:duration=${SECONDS}`, '-c:a', 'aac']
  const pictures = ['-f', 'lavfi', '-i', graph, ...sound, '-t', String(SECONDS)]
  await ffmpeg([
    ...pictures,
    ...'-c:v libx264 -preset veryfast -pix_fmt yuv420p'.split(' '),
    ...rate.split(' '),
    path,
  ])
  return path
}

/** @returns undefined where there is no such choice */
async function makeWith(page: OpenPage, video: string, choose: (page: OpenPage) => Promise<unknown>) {
  await page.setInputFiles('input[type=file]', video)
  await page.locator('.timeline').waitFor()
  await page.getByText('More options').click()
  page.setDefaultTimeout(10_000)
  const isChosen = await choose(page).then(
    () => true,
    () => false,
  )
  page.setDefaultTimeout(100_000)
  if (!isChosen) return undefined
  const estimated = await page.locator('.estimate dd[aria-busy=false]').innerText()
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
  const saving = page.waitForEvent('download')
  await page.locator('.result a').first().click()
  const { size: bytes } = await stat(await (await saving).path())
  return { estimated: bytesOf(estimated), bytes }
}

function bytesOf(text: string): number {
  const [value = '', unit] = text.split(' ')
  return Number(value) * (unit === 'MB' ? 1e6 : 1e3)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`.padStart(10)
}
