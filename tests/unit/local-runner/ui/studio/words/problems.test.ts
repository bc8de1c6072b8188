import { ServiceError } from '@lantern-room/base'
import { asciiBytes } from '@lantern-room/base/bytes'
import { sourceKind } from '@lantern-room/media/files'
import { assert, suite } from '#support/runner/suite'
import { language } from '../../../../../../local-runner/ui/shared/language'
import { reasonOfRefusal } from '../../../../../../local-runner/ui/studio/words/problems'

const test = suite('what a person reads of a refusal')

test.after.each(() => {
  language.value = 'en'
})

function refusalOf(head: string): ServiceError {
  try {
    sourceKind(asciiBytes(head))
  } catch (error) {
    if (error instanceof ServiceError) return error
  }
  throw new Error('It was taken.')
}

test('it tells one wrong file from another, in both languages', () => {
  for (const [head, english, chinese] of [
    ['notes', /no video and no animated image/, /不是视频或动图/],
    ['BM picture', /does not move/, /静态图片/],
    ['ID3', /sound without a picture/, /没有画面的音频/],
  ] as const) {
    assert.match(reasonOfRefusal(refusalOf(head)) ?? '', english)
    language.value = 'zh-CN'
    assert.match(reasonOfRefusal(refusalOf(head)) ?? '', chinese)
    language.value = 'en'
  }
})

test('it names no field, no option and no bytes', () => {
  const details = [
    [
      'payload-too-large',
      'The file is larger than 524288000 bytes, the most that this service takes.',
      /500\sMB/,
    ],
    ['invalid-request', 'range_start must be less than range_end.', /^The file is incomplete/],
    ['out-of-range', 'crop must be a part of the picture, which is 640x360 pixels', /^The crop/],
    ['unprocessable', 'some_new_field=1 is wrong.', /^A setting/],
  ] as const
  for (const [code, detail, wanted] of details) {
    const said = reasonOfRefusal({ code, detail }) ?? ''
    assert.match(said, wanted)
    assert.not.match(said, /_|=|\bbytes\b/)
  }
  assert.is(reasonOfRefusal({ code: 'not-found', detail: 'There is no such session.' }), undefined)
})

test.run()
