// The index is read without this script; with it there is a box that leaves the results in which all words occur. `texts`
// has the words and exact numbers of the results, in the order of the index.
"use strict";

const rows = [...document.querySelectorAll(".index tr")];
const box = document.getElementById("search");
const input = box.querySelector("input");

// A number may be pasted with its groups of three digits apart.
const plain = (text) => text.toLowerCase().replace(/(?<=\d)[ ,.'_\u00a0\u2009\u202f](?=\d{3}(?!\d))/g, "");

// occurs looks for a number as a whole, so that 6 is not found in 16.
const occurs = (word, text) =>
  /^\d+$/.test(word) ? new RegExp(`(?<!\\d)${word}(?!\\d)`).test(text) : text.includes(word);

function search() {
  const words = plain(input.value).split(/\s+/).filter(Boolean);
  rows.forEach((row, i) => { row.hidden = !words.every((word) => occurs(word, texts[i])); });
  for (const part of document.querySelectorAll("section")) part.hidden = !part.querySelector("tr:not([hidden])");
  const left = rows.filter((row) => !row.hidden).length;
  box.querySelector("output").value = words.length ? `${left} of ${rows.length}` : "";
}

box.hidden = false;
input.addEventListener("input", search);
search(); // a page that the reader comes back to has its words still
