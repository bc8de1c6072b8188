import { PROBLEM_CODES } from '@lantern-room/formats/files'
import { assert, suite } from '#support/runner/suite'
import { language } from '../../../../../../local-runner/ui/shared/language'
import words from '../../../../../../local-runner/ui/studio/words/reasons.json'
import { reasonOf, reasons } from '../../../../../../local-runner/ui/studio/words/texts'

const test = suite('why a gallery does not play a photo')

test.after.each(() => {
  language.value = 'en'
})

test('each reason is told in Chinese, and in English in the service’s words or better ones', () => {
  reasons.value = words as unknown as typeof reasons.value
  for (const code of PROBLEM_CODES) {
    language.value = 'en'
    assert.match(reasonOf({ code, detail: 'It is so.' }), /^[A-Z][^\p{Script=Han}]+\.$/u, code)
    language.value = 'zh-CN'
    assert.match(reasonOf({ code, detail: 'It is so.' }), /\p{Script=Han}.*[。！]$/u, code)
  }
})

test('a reason that a newer service has is told in its words', () => {
  language.value = 'zh-CN'
  assert.is(reasonOf({ code: 'toString', detail: 'It is so.' }), 'It is so.')
})

test.run()
