import { preferredLanguage } from '#internal/base/language'
import { assert, suite } from '#support/runner/suite'

const test = suite('preferred language')

for (const [chosen, preferred, language] of [
  [null, ['zh-CN', 'en'], 'zh-CN'],
  [null, ['zh'], 'zh-CN'],
  [null, ['zh-TW', 'en-US'], 'zh-CN'],
  [null, ['en-GB', 'zh-CN'], 'en'],
  [null, ['de-DE', 'zh-CN', 'en'], 'zh-CN'],
  [null, ['de-DE'], 'en'],
  [null, [], 'en'],
  ['en', ['zh-CN'], 'en'],
  ['zh-CN', ['en'], 'zh-CN'],
  ['fr', ['en'], 'en'],
] as const) {
  test(`${chosen ?? 'nothing'} chosen, ${preferred.join(', ') || 'nothing'} preferred: ${language}`, () => {
    assert.is(preferredLanguage(chosen, preferred), language)
  })
}

test.run()
