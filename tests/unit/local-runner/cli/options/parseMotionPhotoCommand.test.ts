import { assert, suite } from '#support/runner/suite'
import { parseMotionPhotoCommand } from '../../../../../local-runner/cli/options/parseMotionPhotoCommand'
import type { Options } from '../../../../../local-runner/cli/options/readOptions'
import { UsageError } from '../../../../../local-runner/commandLine/readArguments'

const test = suite('arguments of the command line')

function optionsOf(...args: string[]): Options {
  const command = parseMotionPhotoCommand(args, '/home/ada')
  if (command.kind !== 'make') throw new Error(`not an order but ${command.kind}`)
  return command.options
}

function wrong(args: readonly string[], message: string): void {
  assert.throws(
    () => parseMotionPhotoCommand(args, '/home/ada'),
    (error: unknown) => {
      assert.instance(error, UsageError)
      assert.is((error as Error).message, message)
      return true
    },
  )
}

test('a video alone is enough', () => {
  assert.equal(optionsOf('clip.mp4'), {
    input: '/home/ada/clip.mp4',
    photo: undefined,
    output: '/home/ada/clip_MP.jpg',
    start: 0,
    end: undefined,
    cover: undefined,
    coverFrom: 'auto',
    coverFile: undefined,
    ending: '_MP.jpg',
    isNameChosen: true,
    format: 'jpeg',
    edit: { crop: undefined, rotate: 0 },
    repeat: undefined,
    speed: 1,
    profile: 'universal',
    mute: false,
    quality: 'auto',
    hdr: false,
    wallpaper: false,
    origin: { metadata: 'date', capturedAt: undefined, timeZone: undefined },
    force: false,
    json: false,
    quiet: false,
  })
})

test('a HEIC that stays one is called so, unless its picture is another', () => {
  const kept = (...args: string[]) => optionsOf('IMG_1.HEIC', 'IMG_1.MOV', '--format', 'keep', ...args).output
  assert.is(kept(), '/home/ada/IMG_1_MP.HEIC')
  assert.is(kept('--cover', '1'), '/home/ada/IMG_1_MP.jpg')
  assert.is(kept('-o', 'a.heif'), '/home/ada/a.heif')
})

test('every option is read', () => {
  const expected = {
    input: '/v/a b.mov',
    photo: undefined,
    output: '/home/out.jpg',
    start: 62.5,
    end: 3723,
    cover: 70,
    coverFrom: 'auto',
    coverFile: '/home/ada/cat.png',
    ending: '_MP.jpg',
    isNameChosen: false,
    format: 'jpeg',
    edit: { crop: { kind: 'ratio', width: 1, height: 1 }, rotate: 90 },
    repeat: 3,
    speed: 0.5,
    profile: 'google',
    mute: true,
    quality: 'source',
    hdr: false,
    wallpaper: false,
    origin: {
      metadata: 'all',
      capturedAt: { unixMs: Date.UTC(2026, 2, 4, 5, 6, 7), offsetMinutes: undefined },
      timeZone: 'Asia/Tokyo',
    },
    force: true,
    json: true,
    quiet: true,
  }
  const long =
    '--start 1:02.5 --end=1:02:03 --cover 70 --cover-file cat.png --crop 1:1 --rotate 90 --repeat 3 --speed .5 --profile google --mute --quality source --metadata all --captured-at 2026-03-04T05:06:07 --time-zone Asia/Tokyo'.split(
      ' ',
    )
  assert.equal(optionsOf('/v/a b.mov', ...long, '-o', '../out.jpg', '-f', '--json', '-q'), expected)
})

test('--hdr is for pictures of the video', () => {
  assert.is(optionsOf('a.mp4', '--hdr').hdr, true)
  wrong(['a.mp4', '--hdr', '--cover-file', 'x.png'], '--hdr and --cover-file exclude each other.')
  wrong(['a.mp4', '--hdr', '--cover', 'source'], '--hdr and --cover source exclude each other.')
  wrong(['a.mp4', '--wallpaper', '--profile', 'all'], '--wallpaper needs --profile apple.')
})

const outputs: readonly [string, string][] = [
  ['a.b.mp4', '/home/ada/a.b_MP.jpg'],
  ['.mp4', '/home/ada/.mp4_MP.jpg'],
  ['../x/clip.MOV', '/home/x/clip_MP.jpg'],
  ['PXL_1.MP.jpg', '/home/ada/PXL_1_MP.jpg'],
  ['IMG_1_MP.heic', '/home/ada/IMG_1_MP.jpg'],
  ['IMG_1_MP.jpg', '/home/ada/IMG_1_new_MP.jpg'],
]
for (const [input, output] of outputs)
  test(`${input} becomes ${output}`, () => assert.is(optionsOf(input).output, output))

test('a name that begins with a dash goes behind two of them', () => {
  assert.is(optionsOf('--', '-a.mp4').input, '/home/ada/-a.mp4')
  assert.is(optionsOf('--mute', '--', '--start').input, '/home/ada/--start')
  wrong(['-1.mp4'], 'There is no option -1. (A name that begins with a dash goes after --.)')
})

test('an unknown option names the nearest one', () => {
  const afterwards = '(A name that begins with a dash goes after --.)'
  wrong(['a', '--forse'], `There is no option --forse. ${afterwards} Did you mean --force?`)
  wrong(['--out', 'o', '--dryrun', 'a'], `There is no option --dryrun. ${afterwards} Did you mean --dry-run?`)
  for (const [typed, meant] of [
    ['--ot', '--out'],
    ['--nme', '--names'],
    ['--nmes', '--names'],
    ['--sped', '--speed'],
    ['--mut', '--mute'],
    ['--hrd', '--hdr'],
  ])
    wrong(['a', typed ?? ''], `There is no option ${typed}. ${afterwards} Did you mean ${meant}?`)
  for (const typed of ['--xyz', '--zz', '--x'])
    wrong(['a', typed], `There is no option ${typed}. ${afterwards}`)
})

test('what is only for many files is refused for one, rather than left out', () => {
  for (const option of ['--dry-run', '--recursive', '--names={n}', '--report=r'])
    wrong(['a.mp4', option], `${option.replace(/=.*/, '')} is only for --out FOLDER.`)
})

test('a dash is standard input, and the output must be named then', () => {
  assert.is(optionsOf('-', '-o', 'x.jpg').input, undefined)
  assert.is(optionsOf('-o', 'x.jpg', '--', '-').input, undefined)
  wrong(['-'], 'Name the output (-o FILE) when the video is standard input.')
})

test('the output of several files is a ZIP', () => {
  assert.is(optionsOf('a.mp4', '--profile', 'apple').output, '/home/ada/a_live.zip')
  assert.is(optionsOf('a.mp4', '--profile', 'all').output, '/home/ada/a_all.zip')
  assert.is(optionsOf('a.mp4', '--profile', 'huawei').output, '/home/ada/a_MP.jpg')
  assert.is(optionsOf('a.mp4', '--profile', 'Redmi').profile, 'universal')
  assert.is(optionsOf('a.mp4', '--profile', 'iphone').output, '/home/ada/a_live.zip')
})

test('with --out any number of files and folders go into a folder', () => {
  const command = parseMotionPhotoCommand(
    ['--out', '../p', 'a.mp4', 'x', 'a.mp4', '--to', 'samsung', '--names', '{date}_{n}'],
    '/home/ada',
  )
  if (command.kind !== 'batch') throw new Error(command.kind)
  const { out, paths, names, given } = command
  assert.equal([out, paths, names], ['/home/p', ['/home/ada/a.mp4', '/home/ada/x'], '{date}_{n}'])
  assert.is(given.get('profile'), 'samsung')
  for (const pattern of ['photo', '../{n}', '{size}', '{n}}'])
    wrong(
      ['--out', 'p', 'a', '--names', pattern],
      '--names must have {name}, {date} or {n}, and no other braces or slashes.',
    )
})

const timeOf = (option: string, text: string) =>
  `--${option} must be a time such as 1.5, 1:02.5 or 1:02:03, not "${text}".`
const mistakes: readonly [string[], string][] = [
  [[], 'Name the video.'],
  [['--mute'], 'Name the video.'],
  [['a', 'b'], 'Name one video only; "b" is a second one.'],
  [['--begin', '1', 'a'], 'There is no option --begin. (A name that begins with a dash goes after --.)'],
  [['a', '--start', 'soon'], timeOf('start', 'soon')],
  [['a', '--cover', '1\x1b[2J'], timeOf('cover', '1?[2J')],
  [['a', '--speed', 'fast'], '--speed must be a number such as 1.5, not "fast".'],
  [['--out', 'p'], 'Name the videos.'],
  [['--out', '', 'a'], '--out needs a value.'],
  [['--out', 'p', 'a', '-o', 'b'], '--out and --output exclude each other.'],
  [['--out', 'p', '-'], 'Standard input is not possible with --out.'],
  [['a', '--metadata', 'place'], '--metadata must be one of none, date, all, not "place".'],
  [
    ['a', '--captured-at', 'today\x1b[2J'],
    '--captured-at must be a date such as 2026-03-04 or 2026-03-04T05:06:07+02:00, not "today?[2J".',
  ],
  [
    ['a', '--captured-at', '2026-03-04T05:06', '--metadata', 'none'],
    '--captured-at is not written with --metadata none: leave one of them out.',
  ],
  [
    ['a', '--time-zone', 'Mars'],
    '--time-zone must be an offset such as +02:00 or a name such as Europe/Berlin, not "Mars".',
  ],
  [
    ['a', '--profile', 'nokia'],
    '--profile must be one of universal, google, legacy, huawei, apple, all, samsung, xiaomi, redmi, poco, oppo, oneplus, realme, vivo, iqoo, pixel, honor, iphone, not "nokia".',
  ],
  [['a', '-o', 'out.heic'], '--output must end in .jpg or .jpeg here, not in ".heic".'],
  [['a', '-o', 'out.jpg', '--profile', 'iphone'], '--output must end in .zip or .pvt here, not in ".jpg".'],
  [['a', '-o', 'out.pvt', '--profile', 'all'], '--output must end in .zip here, not in ".pvt".'],
  [['a', '-o', '-'], '--output - is not possible: standard output carries the name of the result.'],
]
for (const [args, message] of mistakes)
  test(`${JSON.stringify(args)} is refused: ${message}`, () => wrong(args, message))

test.run()
