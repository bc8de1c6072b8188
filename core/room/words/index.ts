/** What other packages may use. @see core/room/README.md */

export { default as chinese } from './chinese.json'
export { default as gameRefusals } from './gameRefusals.json'
export { default as status } from './status.json'
export { describeProblem, findingInChinese, type Say, terminalWords } from './words'
