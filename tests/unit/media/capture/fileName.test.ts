import { stemOf, timeInName, withoutPhotoMark } from '#core/media/capture/fileName'
import { assert, suite } from '#support/runner/suite'

const test = suite('the name of a file')

/** As the clocks showed it, or with a Z where the name is in UTC; to the millisecond where it says that. */
function shown(name: string): string | undefined {
  const time = timeInName(name)
  const text = time && new Date(time.unixMs).toISOString().replace('.000', '')
  return time?.isLocal ? text?.replace('Z', '') : text
}

test('tells when a video was recorded, in the words of many programs', () => {
  for (const [name, time] of [
    ['VID_20240114_153012.mp4', '2024-01-14T15:30:12'],
    ['20240114_153012(0).mp4', '2024-01-14T15:30:12'],
    ['VID20240114153012.mp4', '2024-01-14T15:30:12'],
    ['VID_20240114_153012_123.mp4', '2024-01-14T15:30:12.123'],
    ['VID-20230114-WA0007.mp4', '2023-01-14T00:00:00'],
    ['PXL_20240114_153012345.TS.mp4', '2024-01-14T15:30:12.345Z'],
    ['PXL_20240114_153012345.LS~2.mp4', '2024-01-14T15:30:12.345Z'],
    ['GMT20240114-153012_Recording_1920x1080.mp4', '2024-01-14T15:30:12Z'],
    ['Screen_Recording_20240114_153012_Chrome.mp4', '2024-01-14T15:30:12'],
    ['screen-20240114-153012.mp4', '2024-01-14T15:30:12'],
    ['Screenrecorder-2024-01-14-15-30-12-123.mp4', '2024-01-14T15:30:12.123'],
    ['ScreenRecording_01-14-2024 15-30-12_1.mov', '2024-01-14T15:30:12'],
    ['RPReplay_Final1705246212.mp4', '2024-01-14T15:30:12Z'],
    ['Screen Recording 2024-01-14 at 15.30.12.mov', '2024-01-14T15:30:12'],
    ['Screen Recording 2024-01-14 at 3.30.12\u202fPM.mov', '2024-01-14T15:30:12'],
    ['WhatsApp Video 2024-01-14 at 12.30.12 AM (1).mp4', '2024-01-14T00:30:12'],
    ['2024-01-14 15.30.12.mp4', '2024-01-14T15:30:12'],
    ['2024-01-14 15-30-12.mkv', '2024-01-14T15:30:12'],
    ['2024-01-14T15_30_12Z.webm', '2024-01-14T15:30:12Z'],
    ['Desktop 2024.01.14 - 15.30.12.05.DVR.mp4', '2024-01-14T15:30:12.050'],
    ['Recording 2024-01-14 153012.mp4', '2024-01-14T15:30:12'],
    ['video_2024-01-14_15-30-12.mp4', '2024-01-14T15:30:12'],
    ['signal-2024-01-14-15-30-12-123.mp4', '2024-01-14T15:30:12.123'],
    ['DJI_20240114153012_0001_D.MP4', '2024-01-14T15:30:12'],
    ['lv_0_20240114153012.mp4', '2024-01-14T15:30:12'],
    ['QQ视频20240114153012.mp4', '2024-01-14T15:30:12'],
    ['wx_camera_1705246212345.mp4', '2024-01-14T15:30:12.345Z'],
    ['mmexport1705246212345.mp4', '2024-01-14T15:30:12.345Z'],
    ['FB_VID_1705246212345.mp4', '2024-01-14T15:30:12.345Z'],
    ['holiday 2024-01-14.mov', '2024-01-14T00:00:00'],
    ['20240114_999999.mp4', '2024-01-14T00:00:00'],
    ['VID_20231231_235959.mp4', '2023-12-31T23:59:59'],
  ])
    assert.is(shown(name ?? ''), time, name)
})

test('tells nothing where there is no date that can be', () => {
  for (const name of [
    '',
    'clip.mp4',
    'IMG_1234.MOV',
    'DJI_0001.MP4',
    'GX010123.MP4',
    '1000012345.mp4',
    'received_1234567890123456.mp4',
    'video 1920x1080.mp4',
    'VID_20240230_120000.mp4',
    'VID_20241301.mp4',
    'VID_19700101_000000.mp4',
    'id120240114153012.mp4',
    `${'2024'.repeat(4000)}.mp4`,
    `2024-01-1${' '.repeat(15_000)}at`,
  ])
    assert.is(shown(name), undefined, name)
})

test('becomes the name of a photo on any system', () => {
  for (const [name, stem] of [
    ['IMG_1234.MOV', 'IMG_1234'],
    ['IMG_1234_MP.jpg', 'IMG_1234'],
    ['IMG_1234_MP_MP.jpg', 'IMG_1234'],
    ['IMG_1234_MP (1).jpg', 'IMG_1234 (1)'],
    ['PXL_20240114_153012345.MP.jpg', 'PXL_20240114_153012345'],
    ['\ud83d\ud83d cat \ud83d\ude3a.mp4', 'cat 😺'],
    ['CHAMP.mp4', 'CHAMP'],
    ['a.b.mp4', 'a.b'],
    ['C:\\Users\\ada\\cat.mp4', 'cat'],
    ['../../etc/passwd', 'passwd'],
    ['x"\r\nSet-Cookie: a=b.mp4', 'x_Set-Cookie_ a=b'],
    ['con.mp4', '_con'],
    ['LPT1.MP.jpg', '_LPT1'],
    ['aux.holiday.mp4', '_aux.holiday'],
    [' .hidden. .mp4', 'hidden'],
    ['\u202egpj.exe.mp4', 'gpj.exe'],
    ['Mu\u0308nchen.mp4', 'München'],
    ['猫の動画.mp4', '猫の動画'],
    [`${'猫'.repeat(100)}.mp4`, '猫'.repeat(40)],
    [`${'😺'.repeat(100)}.mp4`, '😺'.repeat(30)],
  ])
    assert.is(stemOf(name ?? ''), stem, name)
})

test('is none where a program has made it up', () => {
  for (const name of [
    '',
    '-',
    'blob',
    'video.mp4',
    'clip.mp4',
    '.mp4',
    '_MP.jpg',
    '???.mp4'.replaceAll('?', '\u0007'),
    'trim.01234567-89AB-CDEF-0123-456789ABCDEF.MOV',
  ])
    assert.is(stemOf(name), undefined, name)
})

test('has no second mark of a motion photo', () => {
  assert.is(withoutPhotoMark('IMG_1_MP'), 'IMG_1')
  assert.is(withoutPhotoMark('IMG_MP_1'), 'IMG_MP_1')
})

test.run()
