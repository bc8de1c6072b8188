import { assert, suite } from '#support/runner/suite'
import { nameWith } from '../../../../../../local-runner/ui/studio/photo/naming'
import { PLAIN } from '../../../../../../local-runner/ui/studio/photo/options'

const test = suite('names of photos in the studio')

const CHOICE = { ...PLAIN, cut: { start: 0, end: 90, cover: 45 } }
const crop = { x: 0, y: 0, width: 720, height: 720 }
const none = new Set<string>()

test('say what differs from the usual photo, before the mark of a motion photo', () => {
  assert.is(nameWith('a.b_MP.jpg', CHOICE, true, none), 'a.b_MP.jpg')
  const square = { ...CHOICE, shape: '1:1', crop } as const
  assert.is(nameWith('VID_1_MP.jpg', square, true, none), 'VID_1_1x1_MP.jpg')
  const all = {
    ...square,
    profile: 'huawei',
    rotate: '90',
    speed: 0.5,
    keepsSound: false,
    repeat: 2,
  } as const
  assert.is(nameWith('a_MP.jpg', all, true, none), 'a_huawei_1x1_90deg_0.5x_2times_silent_MP.jpg')
  assert.is(nameWith('a_MP.jpg', { ...CHOICE, keepsSound: false }, false, none), 'a_MP.jpg')
  assert.is(
    nameWith('a_live.zip', { ...CHOICE, profile: 'apple', shape: 'own', crop }, true, none),
    'a_720x720_live.zip',
  )
})

test('are of one photo only', () => {
  const taken = new Set(['vid_1_mp.jpg', 'vid_1-2_mp.jpg'])
  assert.is(nameWith('VID_1_MP.jpg', CHOICE, true, taken), 'VID_1-3_MP.jpg')
})

test.run()
