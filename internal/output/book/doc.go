// Package book makes a book of results that people cite: a static site of HTML, SVG, CSV and JSON, without a server
// and without scripts. A page is made from a [Record] alone, so the same records give the same bytes, whenever and
// wherever the book is made.
//
//	record.go    a result as one JSON file, and what must hold in it
//	summary.go   facts and tables of a record, to and from those of a puzzle
//	board.go     boards of a record, such as heat maps
//	site.go      the files of a book: the index, and for every result its page and its downloads
//	page.go      what the page of a result shows
//	downloads.go the files beside a page, and charts
//	show.go      numbers, facts and tables as HTML
//	cite.go      how a result is cited
//	page/        the templates and the style sheet
//
// All links are relative: a book works from a folder and from any host, under any prefix.
package book
