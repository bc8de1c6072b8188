/** Looking into a motion photo and taking it apart. @see core/media/README.md */

export { type Animation, animate, EXTRACTS } from './photo/apart/animate'
export { describeInspection, type InspectionSummary, recognisedBy } from './photo/apart/describeInspection'
