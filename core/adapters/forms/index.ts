/** What other packages may use. @see core/adapters/README.md */

export { receiveBody } from './receiveBody'
export { receiveForm } from './receiveForm'
