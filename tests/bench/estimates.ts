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

/** What is filmed, with ffmpeg's own pictures: its graph, how it is encoded, and how far it is turned to be shown. */
const VIDEOS: readonly (readonly [name: string, graph: string, rate: string, turn?: number])[] = [
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
  [
    'night720.mp4',
    `${SCENE},crop=1280:720:x='500+5*sin(n/12)':y='400+3*cos(n/9)',lutyuv=y='16+(val-16)*0.25',noise=alls=16:allf=t`,
    '-b:v 6M',
  ],
  [
    'text720.mp4',
    "cellauto=s=427x1200:rule=30:scroll=0:full=1:r=1,scale=1280:3600:flags=neighbor,loop=-1:1,fps=30,crop=1280:720:x=0:y='3*n'",
    '-b:v 2M',
  ],
  [
    'slides720.mp4',
    'mandelbrot=size=1280x720:rate=1:start_scale=0.4:end_scale=0.001:end_pts=3,fps=30,trim=start_frame=8',
    '-crf 22',
  ],
  ['game60.mp4', 'testsrc2=s=1280x720:r=60', '-crf 23'],
  ['stretched576.mp4', `${SCENE},scale=720:576,noise=alls=5:allf=t,setsar=16/15`, '-b:v 3M'],
  ['drawing1080.mp4', 'testsrc=s=1280x720:r=30,scale=1920:1080', '-crf 20'],
  [
    'water720.mp4',
    `color=gray:s=1280x720:r=30,noise=c0s=70:c0f=t,gblur=3,lutyuv=y='(val-126)*3+126'`,
    '-crf 22',
  ],
  [
    'turned1080.mp4',
    `${SCENE},crop=1920:1080:x='300+30*sin(n/9)':y='250+20*cos(n/11)',noise=alls=3:allf=t`,
    '-crf 22',
    90,
  ],
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

/** Of videos that the service has, of which some clips are copied of the preview. */
const CHOICES_OF_SENT: typeof CHOICES = {
  preview: (page) => page.getByLabel('Full quality').uncheck(),
  ...CHOICES,
}

/** How large the studio says that a photo will be, and how large it is, where the service encodes its clip. */
export function benchEstimates(): Promise<void> {
  return benchSizes('sizes that the studio estimates', CHOICES, 'mp4')
}

/** The same of videos that the page cannot read, so that the service has made a preview of all of them. */
export function benchSentEstimates(): Promise<void> {
  return benchSizes('sizes that the studio estimates of previews', CHOICES_OF_SENT, 'mkv')
}

async function benchSizes(title: string, choices: typeof CHOICES, ending: 'mp4' | 'mkv'): Promise<void> {
  if (browserPath === undefined) return console.log(`\n${title}: skipped, Chromium is not installed`)
  const folder = await makeTempFolder('lantern-bench')
  const service = await startNodeHost()
  const browser = await launchBrowser()
  let [all, farOff] = [0, 0]
  try {
    console.log(`\n${title}: goal ± ${GOAL * 100} %`)
    for (const [name, graph, rate, turn] of VIDEOS) {
      const filmed = await film(folder, name, graph, rate)
      const shown = turn === undefined ? filmed : await turned(filmed, turn)
      const video = ending === 'mp4' ? shown : await asMatroska(shown)
      for (const [choice, choose] of Object.entries(choices)) {
        const page = await openPage(browser, service.url)
        const made = await makeWith(page, video, choose).finally(() => page.context().close())
        if (!made) continue
        const off = made.estimated / made.bytes - 1
        all += 1
        if (Math.abs(off) > GOAL) farOff += 1
        console.log(
          `  ${basename(video).padEnd(20)}${choice.padEnd(18)}${megabytes(made.estimated)} said ${megabytes(made.bytes)} made ${(off * 100).toFixed(0).padStart(5)} %${made.seconds.toFixed(1).padStart(6)} s`,
        )
      }
    }
    console.log(`  ${all - farOff} of ${all} are that close`)
  } finally {
    await browser.close()
    await service.stop()
    await removeFolders(folder)
  }
}

async function asMatroska(video: string): Promise<string> {
  const path = video.replace('.mp4', '.mkv')
  await ffmpeg(['-i', video, '-c', 'copy', path])
  return path
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

async function turned(video: string, degrees: number): Promise<string> {
  const path = video.replace('.mp4', 'Shown.mp4')
  await ffmpeg(['-display_rotation', String(degrees), '-i', video, '-c', 'copy', path])
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
  const began = performance.now()
  const estimated = await page.locator('.estimate dd[aria-busy=false]').innerText()
  const seconds = (performance.now() - began) / 1000
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
  const saving = page.waitForEvent('download')
  await page.locator('.result a').first().click()
  const { size: bytes } = await stat(await (await saving).path())
  return { estimated: bytesOf(estimated), bytes, seconds }
}

function bytesOf(text: string): number {
  const [value = '', unit] = text.split(' ')
  return Number(value) * (unit === 'MB' ? 1e6 : 1e3)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`.padStart(10)
}
