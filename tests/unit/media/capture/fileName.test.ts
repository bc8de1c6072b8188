import { stemOf, withoutPhotoMark } from '#internal/media/capture/fileName'
import { assert, suite } from '#support/runner/suite'

const test = suite('the name of a file')

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
